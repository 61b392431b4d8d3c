// The first member is a number that is plainly no size, whatever the constant says. Should trigger.
#ifndef EXAMPLE_FIRST_MEMBER_IS_A_VERSION_H_
#define EXAMPLE_FIRST_MEMBER_IS_A_VERSION_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  uint32_t version;
  int64_t weight;
  int64_t height;
} Toy;

#define TOY_SIZE (offsetof(Toy, height) + sizeof(((Toy*)0)->height))

void toy_use(const Toy* toy);

#endif  // EXAMPLE_FIRST_MEMBER_IS_A_VERSION_H_
