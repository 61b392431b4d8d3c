// Constants of sizes that happen to be enumerators of one enumeration: they follow their structs. Should not trigger.
#ifndef RING_H_
#define RING_H_

#include <stddef.h>
#include <stdint.h>

typedef struct RingArgs {
  size_t struct_size;
  uint64_t capacity;
  uint64_t alignment;  // 0 is no-op.
} RingArgs;

typedef struct RingStats {
  size_t struct_size;
  uint64_t dropped;
} RingStats;

typedef struct RingProbe {
  size_t struct_size;
  int64_t index;
} RingProbe;

enum {
  RING_ARGS_STRUCT_SIZE = offsetof(RingArgs, alignment) + sizeof(uint64_t),
  RING_PROBE_STRUCT_SIZE = offsetof(RingProbe, index) + sizeof(int64_t),
  RING_STATS_STRUCT_SIZE = offsetof(RingStats, dropped) + sizeof(uint64_t)
};

#endif  // RING_H_
