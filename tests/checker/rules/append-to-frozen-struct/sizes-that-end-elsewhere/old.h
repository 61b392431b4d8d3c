// No constant states the size that each struct had in OLD. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct Early {
  int64_t weight;
  int64_t height;
};
struct Whole {
  int64_t weight;
};
#define WHOLE_1_0_SIZE (sizeof(struct Whole))
struct Padded {
  int64_t weight;
  int32_t height;
};
struct Other {
  int64_t weight;
};
struct Moved {
  int64_t weight;
  int64_t height;
};
#define MOVED_SIZE_V1 (offsetof(struct Moved, height))
struct Passed {
  int64_t weight;
};

int toy_init(struct Early* early, struct Whole* whole, struct Padded* padded, struct Other* other, struct Moved* moved);
int toy_pass(struct Passed passed);
