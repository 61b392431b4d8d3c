// The alignment that it has anyway.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  struct {
    int64_t x;
    int64_t y;
  } start;
} Lane;

#endif  // LANE_H_
