// A macro says which function took the place of the old one: one finding, and code still compiles. Should trigger.
#ifndef EXAMPLE_OLD_NAME_IS_A_MACRO_NOW_H_
#define EXAMPLE_OLD_NAME_IS_A_MACRO_NOW_H_

#include <stdint.h>

int32_t rotate(int32_t turns);
#define wheel_spin rotate

#endif  // EXAMPLE_OLD_NAME_IS_A_MACRO_NOW_H_
