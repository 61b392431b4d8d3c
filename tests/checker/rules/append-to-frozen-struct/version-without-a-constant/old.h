// Nothing states that the member counts the versions of its struct. Should trigger.
#pragma once
#include <stdint.h>

#define FILE_VERSION 1
struct Toy {
  uint32_t version;
  int64_t weight;
};

#define TOYS_VERSION_TEXT "1"
struct Toys {
  uint32_t version;
  int64_t weight;
};

struct Late {
  uint32_t version;
  int64_t weight;
};

#define THIRD_VERSION 1
struct Third {
  int64_t weight;
  int32_t count;
  int32_t version;
};

int toy_use(const struct Toy* toy, const struct Toys* toys, const struct Late* late, const struct Third* third);
