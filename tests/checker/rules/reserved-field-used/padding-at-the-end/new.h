#pragma once

#include <stdint.h>

/* Frozen: callers allocate it. */
typedef struct ToyPosition {
  uint64_t frame;
  int32_t valid;
  float speed;         // 0 is no-op.
  int32_t padding[6];  // Set to zero.
} ToyPosition;

int toy_locate(const ToyPosition* position);
