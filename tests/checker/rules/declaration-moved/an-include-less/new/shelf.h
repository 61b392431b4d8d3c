#ifndef EXAMPLE_SHELF_H_
#define EXAMPLE_SHELF_H_

#include "toy.h"

#ifdef __cplusplus
extern "C" {
#endif

int shelf_height(void);

#ifdef __cplusplus
}
#endif

#endif  // EXAMPLE_SHELF_H_
