// A size constant becomes the number that it was. Should not trigger.
#ifndef EXAMPLE_NUMBER_THAT_IS_THE_SIZE_H_
#define EXAMPLE_NUMBER_THAT_IS_THE_SIZE_H_

#include <stdint.h>

typedef struct Toy {
  uint64_t struct_size;
  uint64_t weight;
} Toy;

#define TOY_STRUCT_SIZE sizeof(Toy)

#endif  // EXAMPLE_NUMBER_THAT_IS_THE_SIZE_H_
