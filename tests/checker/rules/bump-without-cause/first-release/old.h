// 0.x becomes 1.0.0: the end of the bake-in period is its own cause. Should not trigger.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_MAJOR 0
#define TOY_MINOR 9
#define TOY_PATCH 4

typedef struct Toy {
  size_t struct_size;
  int64_t weight;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, weight) + sizeof(((Toy*)0)->weight))

#endif  // TOY_H_
