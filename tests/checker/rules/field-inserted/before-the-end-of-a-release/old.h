// The constant of the release ends behind the new member. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct Toy {
  int64_t weight;
  int64_t height;
};

int toy_init(int version, struct Toy* toy);
