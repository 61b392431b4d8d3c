// Only the name of a parameter changes. Should trigger, as a note.
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
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, weight) + sizeof(((Toy*)0)->weight))

int64_t toy_weigh(const Toy* what);

#endif  // TOY_H_
