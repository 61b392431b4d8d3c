// The project's policy asks for nothing while MAJOR is 0. Should not trigger.
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
