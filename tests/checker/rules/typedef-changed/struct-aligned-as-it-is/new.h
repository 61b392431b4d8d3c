// The typedef asks for the alignment that the struct has.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Point {
  int64_t x;
  int64_t y;
} Point __attribute__((aligned(8)));

typedef struct Lane {
  int32_t number;
  Point start;
} Lane;

#endif  // LANE_H_
