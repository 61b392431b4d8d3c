#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#include "old-config.h"

typedef struct Toy {
  size_t struct_size;
  int a;
} Toy;
#define TOY_STRUCT_SIZE (offsetof(Toy, a) + sizeof(((Toy*)0)->a))

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
