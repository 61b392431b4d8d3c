// The prefix says who fills it; such structs begin with their size. The other one has no such prefix. Should trigger once.
#ifndef EXAMPLE_BY_ITS_PREFIX_H_
#define EXAMPLE_BY_ITS_PREFIX_H_

#include <stdint.h>

typedef struct SP_Gauge {
  int64_t level;
} SP_Gauge;

typedef struct Reading {
  int64_t value;
} Reading;

#endif  // EXAMPLE_BY_ITS_PREFIX_H_
