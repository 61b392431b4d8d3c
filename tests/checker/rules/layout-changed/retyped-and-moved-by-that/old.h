// A member gets a type of another alignment, and lies elsewhere because of it. Should not trigger.
#ifndef EXAMPLE_RETYPED_AND_MOVED_BY_THAT_H_
#define EXAMPLE_RETYPED_AND_MOVED_BY_THAT_H_

#include <stddef.h>

typedef struct {
  size_t struct_size;
  char flag;
  char text[8];
} Toy;

#endif  // EXAMPLE_RETYPED_AND_MOVED_BY_THAT_H_
