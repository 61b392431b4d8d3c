// Each element is read as another kind of number.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  double widths[4];
} Lane;

#endif  // LANE_H_
