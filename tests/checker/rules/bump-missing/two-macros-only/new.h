// MAJOR and MINOR, no PATCH: an addition moves MINOR. Should not trigger.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_API_MAJOR 1
#define TOY_API_MINOR 5

typedef struct Toy {
  size_t struct_size;
  int64_t weight;
  int64_t height;  // 0 is no-op.
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, height) + sizeof(((Toy*)0)->height))

#endif  // TOY_H_
