// Members that their names keep free take names, and nothing is said of zero. Should trigger.
#ifndef EXAMPLE_NAMES_THAT_SAY_IT_H_
#define EXAMPLE_NAMES_THAT_SAY_IT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  size_t struct_size;
  int32_t weight;
  int32_t reserved0;
  int32_t pad1;
  int32_t padding_2;
  void* _unused;
  int32_t spare;
  int32_t padding_mode;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, padding_mode) + sizeof(((Toy*)0)->padding_mode))

#endif  // EXAMPLE_NAMES_THAT_SAY_IT_H_
