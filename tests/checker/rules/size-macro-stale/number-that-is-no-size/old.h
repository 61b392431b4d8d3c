// A size constant becomes a number that its struct does not have. Should trigger.
#ifndef EXAMPLE_NUMBER_THAT_IS_NO_SIZE_H_
#define EXAMPLE_NUMBER_THAT_IS_NO_SIZE_H_

#include <stddef.h>

typedef struct Toy {
  size_t struct_size;
  int weight;
} Toy;

#define TOY_STRUCT_SIZE sizeof(Toy)

#endif  // EXAMPLE_NUMBER_THAT_IS_NO_SIZE_H_
