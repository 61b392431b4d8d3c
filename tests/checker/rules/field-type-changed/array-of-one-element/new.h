// One number is an array of one now: its bytes are read alike.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  double width[1];
} Lane;

#endif  // LANE_H_
