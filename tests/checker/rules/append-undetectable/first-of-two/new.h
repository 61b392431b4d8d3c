// The first of two appended members lies in the padding that the size of OLD covers; the second does not. Should trigger
// for the first.
#ifndef EXAMPLE_FIRST_OF_TWO_H_
#define EXAMPLE_FIRST_OF_TWO_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ScanOptions {
  size_t struct_size;
  void* ext;
  int32_t depth;
  int32_t width;   // 0 is no-op.
  int64_t height;  // 0 is no-op.
} ScanOptions;

#define SCAN_OPTIONS_SIZE sizeof(ScanOptions)

#endif  // EXAMPLE_FIRST_OF_TWO_H_
