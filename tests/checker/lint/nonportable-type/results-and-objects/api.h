// What functions return and what is exported crosses the boundary, too.
#ifndef EXAMPLE_RESULTS_AND_OBJECTS_H_
#define EXAMPLE_RESULTS_AND_OBJECTS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

long tide_height(int32_t hour);
extern unsigned long tide_seed;
extern int64_t tide_origin;

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_RESULTS_AND_OBJECTS_H_
