// A struct goes, and with it the constant of its size and the typedef: one cause, one finding.
#ifndef TP_STATS_H_
#define TP_STATS_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_AllocatorStats {
  size_t struct_size;
  int64_t num_allocs;
  int64_t bytes_in_use;
} SP_AllocatorStats;

#define SP_ALLOCATORSTATS_STRUCT_SIZE TP_OFFSET_OF_END(SP_AllocatorStats, bytes_in_use)

typedef struct SP_TimerFns {
  size_t struct_size;
  uint64_t (*nanoseconds)(void* timer);
} SP_TimerFns;

#define SP_TIMER_FNS_STRUCT_SIZE TP_OFFSET_OF_END(SP_TimerFns, nanoseconds)

#endif  // TP_STATS_H_
