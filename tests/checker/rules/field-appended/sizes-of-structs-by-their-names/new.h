// Names that leave no doubt: these members hold their struct's size, whatever integer they are.
#pragma once

#include <stdint.h>

typedef unsigned int DWORD;

typedef struct ToyOpen {
  DWORD dwStructSize;
  int how;
  double weight;  // 0 is no-op.
} ToyOpen;

typedef struct ToyClose {
  uint32_t cb_struct;
  int how;
  double weight;  // 0 is no-op.
} ToyClose;

typedef struct ToyFlush {
  uint64_t sizeOfStruct;
  int64_t how;
  double weight;  // 0 is no-op.
} ToyFlush;

int toy_do(const ToyOpen* open, const ToyClose* close, const ToyFlush* flush);
