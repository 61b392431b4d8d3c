#pragma once
#include <stdint.h>
typedef struct par {
  uint64_t field_mask; /* Mask of valid fields in this structure. */
  int a; int b;
} par_t;
int init(const par_t *p);
