// What names a typedef by way of another one changes with it. Should trigger once.
#ifndef EXAMPLE_THROUGH_ANOTHER_TYPEDEF_H_
#define EXAMPLE_THROUGH_ANOTHER_TYPEDEF_H_

#include <stddef.h>
#include <stdint.h>

typedef int64_t PoolId;
typedef PoolId PoolSlot;

typedef struct PoolEntry {
  size_t struct_size;
  PoolSlot slot;
  int32_t uses;
} PoolEntry;

PoolSlot pool_take(PoolEntry* entry);

#endif  // EXAMPLE_THROUGH_ANOTHER_TYPEDEF_H_
