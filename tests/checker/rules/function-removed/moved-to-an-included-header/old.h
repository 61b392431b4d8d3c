// Declared elsewhere now, and included: users see no difference. Should not trigger.
#ifndef MAIN_H_
#define MAIN_H_

int tp_main(void);
int tp_extra(void);

#endif  // MAIN_H_
