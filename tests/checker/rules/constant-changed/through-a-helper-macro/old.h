// The value moves with a macro that takes arguments; what it names of the API stays. Should trigger.
#ifndef EXAMPLE_THROUGH_A_HELPER_MACRO_H_
#define EXAMPLE_THROUGH_A_HELPER_MACRO_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum toy_bit { TOY_BIT = 1 };
#define TOY_SHIFT(x) ((x) << 8)
#define TOY_FLAG TOY_SHIFT(TOY_BIT)

#ifdef __cplusplus
}
#endif

#endif
