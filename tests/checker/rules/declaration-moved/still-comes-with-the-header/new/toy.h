#ifndef EXAMPLE_TOY_H_
#define EXAMPLE_TOY_H_

#include "parts/count.h"

#ifdef __cplusplus
extern "C" {
#endif

int toy_weigh(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_TOY_H_
