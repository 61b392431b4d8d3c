// The macros go: nobody can ask for the version any more. Should trigger, once.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  size_t struct_size;
  int64_t weight;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, weight) + sizeof(((Toy*)0)->weight))

#endif  // TOY_H_
