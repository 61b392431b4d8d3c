#ifndef EXAMPLE_FIRST_OF_TWO_H_
#define EXAMPLE_FIRST_OF_TWO_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ScanOptions {
  size_t struct_size;
  void* ext;
  int32_t depth;
} ScanOptions;

#define SCAN_OPTIONS_SIZE sizeof(ScanOptions)

#endif  // EXAMPLE_FIRST_OF_TWO_H_
