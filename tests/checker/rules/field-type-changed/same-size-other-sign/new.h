// Not a byte moves, but -1 no longer means "unset". Should trigger.
#ifndef NUMA_H_
#define NUMA_H_

#include <stddef.h>
#include <stdint.h>

typedef struct NumaHint {
  size_t struct_size;
  uint32_t node;
  uint32_t weight;
} NumaHint;

#endif  // NUMA_H_
