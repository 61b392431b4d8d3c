// Nothing states that the member counts the versions of its struct. Should trigger.
#pragma once
#include <stdint.h>

#define FILE_VERSION 2
struct Toy {
  uint32_t version;
  int64_t weight;
  int64_t height;
};

#define TOYS_VERSION_TEXT "2"
struct Toys {
  uint32_t version;
  int64_t weight;
  int64_t height;
};

#define LATE_VERSION 2
struct Late {
  uint32_t version;
  int64_t weight;
  int64_t height;
};

#define THIRD_VERSION 2
struct Third {
  int64_t weight;
  int32_t count;
  int32_t version;
  int64_t height;
};

int toy_use(const struct Toy* toy, const struct Toys* toys, const struct Late* late, const struct Third* third);
