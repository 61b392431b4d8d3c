// Objects of older plugins are aligned to 8, and newer code takes them for aligned to 16.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  size_t struct_size;
  int32_t kind;
} Toy;

void toy_use(const Toy* toy);

#endif  // TOY_H_
