#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Toy {
  uint32_t turn : 4;
  uint32_t reserved : 28;
  uint32_t width;
  uint32_t toy_reserved[6];
  uint16_t flags;
  uint16_t rsvd;
  uint32_t reserved1 : 16;
  uint32_t reserved2 : 16;
} Toy;

void toy_show(const Toy* toy);
