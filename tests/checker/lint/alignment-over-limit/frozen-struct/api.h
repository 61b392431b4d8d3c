// The limit is about structs that carry their size. Should not trigger.
#ifndef SIMD_H_
#define SIMD_H_

typedef struct SimdLanes {
  _Alignas(16) float lanes[4];
} SimdLanes;

#endif  // SIMD_H_
