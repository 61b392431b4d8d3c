// The struct itself goes: the constant follows it. Should not trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Gauge {
  size_t struct_size;
  int64_t channel;
} Gauge;

enum { GAUGE_STRUCT_SIZE = offsetof(Gauge, channel) + sizeof(int64_t) };

int gauge_count(void);

#endif  // GAUGE_H_
