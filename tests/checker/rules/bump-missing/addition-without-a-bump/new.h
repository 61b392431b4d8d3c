// A member is appended and nothing moves. Should trigger, at MINOR.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_MAJOR 1
#define TOY_MINOR 2
#define TOY_PATCH 0

typedef struct Toy {
  size_t struct_size;
  int64_t weight;
  int64_t height;  // 0 is no-op.
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, height) + sizeof(((Toy*)0)->height))

#endif  // TOY_H_
