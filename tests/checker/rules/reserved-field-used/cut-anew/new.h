// What was kept free is divided otherwise, and no byte that means something moves. Should trigger.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ToyBox {
  size_t struct_size;
  uint32_t kind;
  uint16_t row;      // 0 is no-op.
  uint16_t column;   // 0 is no-op.
  uint32_t flags;    // 0 is no-op.
  uint32_t reserved2;
  uint64_t serial;   // 0 is no-op.
  uint32_t reserved[4];
  void (*open)(int); // NULL is no-op.
  double weight;
} ToyBox;

void toy_box(const ToyBox* box);
