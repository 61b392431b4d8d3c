// A new type for the whole, a member that means something at 0, one that reaches beyond, and room that just went.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ToyWhole {
  size_t struct_size;
  float price;
  uint32_t kind;
} ToyWhole;

typedef struct ToyHalf {
  size_t struct_size;
  uint16_t row;  // 0 is meaningful: the first row.
  uint32_t kind;
} ToyHalf;

typedef struct ToyWide {
  size_t struct_size;
  uint64_t serial;
  uint32_t kind;
  uint32_t colour;
} ToyWide;

typedef struct ToyLess {
  size_t struct_size;
  uint32_t reserved[4];
  uint32_t kind;
  double weight;
} ToyLess;

void toy_box(const ToyWhole* whole, const ToyHalf* half, const ToyWide* wide, const ToyLess* less);
