// Plugins fill struct_size with it. Should trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Gauge {
  size_t struct_size;
  int64_t channel;
} Gauge;

#define GAUGE_STRUCT_SIZE (offsetof(Gauge, channel) + sizeof(((Gauge*)0)->channel))

#endif  // GAUGE_H_
