// sizeof counted four bytes of padding that the new form leaves out: 24 before, 20 after. Should trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Gauge {
  size_t struct_size;
  void* owner;
  int32_t channel;
} Gauge;

#define GAUGE_STRUCT_SIZE (offsetof(Gauge, channel) + sizeof(((Gauge*)0)->channel))

#endif  // GAUGE_H_
