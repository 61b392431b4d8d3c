// No member moves, but the struct around it has to stand at another place.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  struct {
    int64_t x;
    int64_t y;
  } __attribute__((aligned(16))) start;
} Lane;

#endif  // LANE_H_
