#pragma once

#include <stdint.h>

/* Frozen: callers allocate it. */
typedef struct ToyPosition {
  uint64_t frame;
  int32_t valid;
  int32_t padding[7];  // Set to zero.
} ToyPosition;

int toy_locate(const ToyPosition* position);
