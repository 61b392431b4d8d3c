// Declared elsewhere now, and included: users see no difference. Should not trigger.
#ifndef MAIN_H_
#define MAIN_H_

#include "extra.h"

int tp_main(void);

#endif  // MAIN_H_
