#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  uint32_t turn : 4;
  uint32_t crop : 1;  // 0 is no-op.
  uint32_t reserved : 27;
  uint32_t width;
  uint64_t area;  // 0 is no-op.
  uint32_t toy_reserved[4];
  uint16_t flags;
  uint16_t depth;  // 0 is no-op.
  uint32_t fast : 1;  // 0 is no-op.
  uint32_t loud : 15;
  uint32_t reserved2 : 16;
} Toy;

void toy_show(const Toy* toy);
