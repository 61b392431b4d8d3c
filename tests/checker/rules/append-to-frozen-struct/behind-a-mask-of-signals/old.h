#pragma once
#include <stdint.h>
typedef struct par {
  uint64_t sig_mask; /* Signals that are blocked. */
  int a; int b;
} par_t;
int init(const par_t *p);
