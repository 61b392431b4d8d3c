// Members that their names keep free take names, and nothing is said of zero. Should trigger.
#ifndef EXAMPLE_NAMES_THAT_SAY_IT_H_
#define EXAMPLE_NAMES_THAT_SAY_IT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  size_t struct_size;
  int32_t weight;
  int32_t height;
  int32_t width;
  int32_t depth;
  void* owner;
  int32_t age;
  int32_t padding_mode;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, padding_mode) + sizeof(((Toy*)0)->padding_mode))

#endif  // EXAMPLE_NAMES_THAT_SAY_IT_H_
