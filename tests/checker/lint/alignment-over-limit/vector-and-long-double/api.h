// Members that want more than eight bytes. Should trigger for each.
#ifndef SIMD_H_
#define SIMD_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SimdArgs {
  size_t struct_size;
  uint64_t count;
  _Alignas(16) float lanes[4];
  long double scale;
} SimdArgs;

#endif  // SIMD_H_
