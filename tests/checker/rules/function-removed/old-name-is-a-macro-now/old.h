#ifndef EXAMPLE_OLD_NAME_IS_A_MACRO_NOW_H_
#define EXAMPLE_OLD_NAME_IS_A_MACRO_NOW_H_

#include <stdint.h>

int32_t wheel_spin(int32_t turns);

#endif  // EXAMPLE_OLD_NAME_IS_A_MACRO_NOW_H_
