// A macro that is empty in C and `extern "C"` in C++ does the same as a block. Should not trigger.
#ifndef EXAMPLE_A_MACRO_FOR_EACH_FUNCTION_OR_ONE_BLOCK_H_
#define EXAMPLE_A_MACRO_FOR_EACH_FUNCTION_OR_ONE_BLOCK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void horn_blow(int32_t seconds);
void horn_stop(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_A_MACRO_FOR_EACH_FUNCTION_OR_ONE_BLOCK_H_
