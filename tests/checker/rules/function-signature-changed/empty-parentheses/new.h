// `()` against `(void)`, in both directions: the calls are the same. Should not trigger.
#ifndef INIT_H_
#define INIT_H_

int plugin_init(void);
void plugin_exit();
char const* plugin_name(void);

#endif  // INIT_H_
