// A handle gains its type, characters become those of another sign: calls are as before. Should trigger.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

struct Table {
  void* (*key)(Toy* toy);
  int (*feed)(Toy* toy, unsigned char* food);
};
