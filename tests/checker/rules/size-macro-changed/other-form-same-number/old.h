// A macro becomes an enumerator, sizeof becomes offsetof plus sizeof; the numbers stay. Should not trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Gauge {
  size_t struct_size;
  void* owner;
  int64_t channel;
} Gauge;

#define GAUGE_STRUCT_SIZE sizeof(Gauge)

typedef struct Dial {
  size_t struct_size;
  double angle;
} Dial;

#define DIAL_STRUCT_SIZE (offsetof(Dial, angle) + sizeof(((Dial*)0)->angle))

#endif  // GAUGE_H_
