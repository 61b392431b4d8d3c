// `()` against `(void)`, in both directions: the calls are the same. Should not trigger.
#ifndef INIT_H_
#define INIT_H_

int plugin_init();
void plugin_exit(void);
const char* plugin_name();

#endif  // INIT_H_
