// What was kept free is divided otherwise, and no byte that means something moves. Should trigger.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ToyBox {
  size_t struct_size;
  uint32_t kind;
  uint32_t reserved1;
  uint64_t reserved2;
  uint32_t reserved3;
  uint32_t reserved4;
  uint32_t reserved[6];
  double weight;
} ToyBox;

void toy_box(const ToyBox* box);
