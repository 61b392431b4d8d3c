// What is appended is aligned as the struct was.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  size_t struct_size;
  int32_t kind;
  double wide;
} Toy;

void toy_use(const Toy* toy);

#endif  // TOY_H_
