// OLD has the sizes of two releases already; the size of the last one was sizeof. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct Toy {
  int64_t weight;
  int64_t height;
  int64_t depth;
};
#define TOY_1_0_SIZE (offsetof(struct Toy, height))
#define TOY_1_1_SIZE (offsetof(struct Toy, depth))
#define TOY_1_2_SIZE (sizeof(struct Toy))

int toy_init(int version, struct Toy* toy);
