// One member asks for a larger alignment.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Lane {
  size_t struct_size;
  int32_t first;
  _Alignas(8) int32_t second;
} Lane;

#endif  // LANE_H_
