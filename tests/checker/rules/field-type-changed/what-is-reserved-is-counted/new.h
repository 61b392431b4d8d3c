// `bytes_reserved` is a number like any other, not room that is kept free. Should trigger.
#ifndef EXAMPLE_WHAT_IS_RESERVED_IS_COUNTED_H_
#define EXAMPLE_WHAT_IS_RESERVED_IS_COUNTED_H_

#include <stddef.h>
#include <stdint.h>

typedef struct HeapStats {
  size_t struct_size;
  int64_t bytes_reserved;
  double peak_bytes_reserved;
  int32_t reserved_blocks[2];
} HeapStats;

#endif  // EXAMPLE_WHAT_IS_RESERVED_IS_COUNTED_H_
