// The member that carries the size is called size and has a sign; a constant tells what it holds. Should trigger.
#ifndef EXAMPLE_SIZE_IS_A_PTRDIFF_H_
#define EXAMPLE_SIZE_IS_A_PTRDIFF_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  ptrdiff_t size;
  int64_t weight;
  int64_t height;
} Toy;

#define TOY_SIZE (offsetof(Toy, height) + sizeof(((Toy*)0)->height))

void toy_use(const Toy* toy);

#endif  // EXAMPLE_SIZE_IS_A_PTRDIFF_H_
