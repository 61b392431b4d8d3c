#ifndef EXAMPLE_ONE_STRUCT_WHOSE_NAME_IS_A_PLURAL_H_
#define EXAMPLE_ONE_STRUCT_WHOSE_NAME_IS_A_PLURAL_H_

#include <stddef.h>
#include <stdint.h>

#define MEM_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct MemStats {
  size_t struct_size;
  int64_t used;
} MemStats;

#define MEM_STATS_STRUCT_SIZE MEM_END(MemStats, used)

void* mem_take(size_t size, MemStats* stats);

#endif  // EXAMPLE_ONE_STRUCT_WHOSE_NAME_IS_A_PLURAL_H_
