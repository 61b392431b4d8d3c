// The struct gets another name and its constant with it: one cause. Should not trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

#define GAUGE_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct Gauge {
  size_t struct_size;
  int64_t channel;
  double value;
  double variance;
} Gauge;

#define GAUGE_STRUCT_SIZE GAUGE_END(Gauge, variance)

#endif  // GAUGE_H_
