// Constants of sizes that happen to be enumerators of one enumeration: they follow their structs. Should not trigger.
#ifndef RING_H_
#define RING_H_

#include <stddef.h>
#include <stdint.h>

typedef struct RingArgs {
  size_t struct_size;
  uint64_t capacity;
} RingArgs;

typedef struct RingStats {
  size_t struct_size;
  uint64_t dropped;
} RingStats;

enum {
  RING_ARGS_STRUCT_SIZE = offsetof(RingArgs, capacity) + sizeof(uint64_t),
  RING_STATS_STRUCT_SIZE = offsetof(RingStats, dropped) + sizeof(uint64_t)
};

#endif  // RING_H_
