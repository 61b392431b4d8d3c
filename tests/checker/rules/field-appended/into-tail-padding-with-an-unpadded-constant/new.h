// `flags` lands in old tail padding: sizeof stays 24, but the constant ends at the last member, so a reader can tell.
#ifndef GAUGE_H_
#define GAUGE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Gauge {
  size_t struct_size;
  void* owner;
  int32_t channel;
  uint32_t flags;  // 0 is no-op.
} Gauge;

#define GAUGE_STRUCT_SIZE (offsetof(Gauge, flags) + sizeof(((Gauge*)0)->flags))

#endif  // GAUGE_H_
