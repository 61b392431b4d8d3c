// `stats` points to one struct that is called so, and `size` is the size of something else. Should not trigger.
#ifndef EXAMPLE_ONE_STRUCT_WHOSE_NAME_IS_A_PLURAL_H_
#define EXAMPLE_ONE_STRUCT_WHOSE_NAME_IS_A_PLURAL_H_

#include <stddef.h>
#include <stdint.h>

#define MEM_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct MemStats {
  size_t struct_size;
  int64_t used;
  int64_t peak;  // 0 is no-op.
} MemStats;

#define MEM_STATS_STRUCT_SIZE MEM_END(MemStats, peak)

void* mem_take(size_t size, MemStats* stats);

#endif  // EXAMPLE_ONE_STRUCT_WHOSE_NAME_IS_A_PLURAL_H_
