// A member whose name only begins like one that is kept free gets another name. Should not trigger.
#ifndef EXAMPLE_ANOTHER_NAME_H_
#define EXAMPLE_ANOTHER_NAME_H_

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
  int32_t border;
} Toy;

#define TOY_STRUCT_SIZE (offsetof(Toy, border) + sizeof(((Toy*)0)->border))

#endif  // EXAMPLE_ANOTHER_NAME_H_
