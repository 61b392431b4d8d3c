// A new type for the whole, a member that means something at 0, one that reaches beyond, and room that just went.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ToyWhole {
  size_t struct_size;
  uint32_t reserved;
  uint32_t kind;
} ToyWhole;

typedef struct ToyHalf {
  size_t struct_size;
  uint32_t reserved;
  uint32_t kind;
} ToyHalf;

typedef struct ToyWide {
  size_t struct_size;
  uint32_t reserved1;
  uint32_t kind;
  uint32_t reserved2;
  uint32_t colour;
} ToyWide;

typedef struct ToyLess {
  size_t struct_size;
  uint32_t reserved[5];
  uint32_t kind;
  double weight;
} ToyLess;

void toy_box(const ToyWhole* whole, const ToyHalf* half, const ToyWide* wide, const ToyLess* less);
