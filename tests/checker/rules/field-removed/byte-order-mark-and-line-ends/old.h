// A byte order mark, and lines that end in CR LF. Should not trigger.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  size_t struct_size;
  int64_t weight;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, weight) + sizeof(((Toy*)0)->weight))

/* Weighs a toy,
   in grams. */
int64_t toy_weigh(const Toy* toy);

#endif  // TOY_H_
