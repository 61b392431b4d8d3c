// The elements lose their sign; their bytes stay.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  int16_t widths[4];
} Lane;

#endif  // LANE_H_
