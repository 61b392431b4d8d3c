#ifndef EXAMPLE_A_MACRO_FOR_EACH_FUNCTION_OR_ONE_BLOCK_H_
#define EXAMPLE_A_MACRO_FOR_EACH_FUNCTION_OR_ONE_BLOCK_H_

#include <stdint.h>

#ifdef __cplusplus
#define HORN_C extern "C"
#else
#define HORN_C
#endif

HORN_C void horn_blow(int32_t seconds);
HORN_C
void horn_stop(void);

#endif  // EXAMPLE_A_MACRO_FOR_EACH_FUNCTION_OR_ONE_BLOCK_H_
