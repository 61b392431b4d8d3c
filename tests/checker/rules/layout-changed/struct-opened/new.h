// Without its struct a member slips into what was padding.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  int32_t left;
  char right;
  char last;
} Lane;

#endif  // LANE_H_
