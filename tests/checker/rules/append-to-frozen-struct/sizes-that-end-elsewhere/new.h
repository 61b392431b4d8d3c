// No constant states the size that each struct had in OLD. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct Early {
  int64_t weight;
  int64_t height;
  int64_t depth;
};
#define EARLY_1_0_SIZE (offsetof(struct Early, height))
#define EARLY_1_1_SIZE (sizeof(struct Early))
struct Whole {
  int64_t weight;
  int64_t height;
};
#define WHOLE_1_0_SIZE (sizeof(struct Whole))
struct Padded {
  int64_t weight;
  int32_t height;
  int32_t depth;
};
#define PADDED_1_0_SIZE 16
struct Other {
  int64_t weight;
  int64_t height;
};
#define ANOTHER_SIZE_V1 8
struct Moved {
  int64_t weight;
  int64_t height;
  int64_t depth;
};
#define MOVED_SIZE_V1 (offsetof(struct Moved, depth))
struct Passed {
  int64_t weight;
  int64_t height;
};
#define PASSED_1_0_SIZE (offsetof(struct Passed, height))

int toy_init(struct Early* early, struct Whole* whole, struct Padded* padded, struct Other* other, struct Moved* moved);
int toy_pass(struct Passed passed);
