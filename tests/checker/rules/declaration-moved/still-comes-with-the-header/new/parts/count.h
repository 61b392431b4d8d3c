#ifndef EXAMPLE_PARTS_COUNT_H_
#define EXAMPLE_PARTS_COUNT_H_

#include "type.h"

#ifdef __cplusplus
extern "C" {
#endif

int toy_count(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_PARTS_COUNT_H_
