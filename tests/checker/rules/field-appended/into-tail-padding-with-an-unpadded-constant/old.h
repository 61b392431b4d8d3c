// `flags` lands in old tail padding: sizeof stays 24, but the constant ends at the last member, so a reader can tell.
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
