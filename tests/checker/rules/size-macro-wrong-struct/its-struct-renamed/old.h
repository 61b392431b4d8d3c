// The struct that a size constant measures got another name. Should not trigger.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>

#define TOY_MAJOR 1
#define TOY_MINOR 2
#define TOY_PATCH 0

typedef struct Toy {
  size_t struct_size;
  int weight;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, weight) + sizeof(((Toy*)0)->weight))

typedef struct Box {
  size_t struct_size;
  int width;
  int height;
} Box;

#define BOX_STRUCT_SIZE (offsetof(Box, height) + sizeof(((Box*)0)->height))

#endif  // TOY_H_
