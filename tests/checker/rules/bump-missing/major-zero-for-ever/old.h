// At MAJOR 0 an addition needs PATCH, and 0.0.1 stays 0.0.1. Should trigger.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_MAJOR 0
#define TOY_MINOR 0
#define TOY_PATCH 1

typedef struct Toy {
  size_t struct_size;
  int64_t weight;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, weight) + sizeof(((Toy*)0)->weight))

#endif  // TOY_H_
