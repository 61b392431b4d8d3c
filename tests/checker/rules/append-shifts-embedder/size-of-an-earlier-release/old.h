// A constant states the size that both structs had, and others hold them by value. Should trigger.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct Toy {
  int64_t weight;
};
struct Box {
  struct Toy toy;
  int64_t price;
};
struct Part {
  int64_t weight;
};
struct Parts {
  struct Part parts[4];
};

int toy_init(int version, struct Box* box, struct Toy* toy, struct Parts* parts);
