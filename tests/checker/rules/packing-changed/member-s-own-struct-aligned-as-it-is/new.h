// The alignment that it has anyway.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  struct {
    int64_t x;
    int64_t y;
  } __attribute__((aligned(8))) start;
} Lane;

#endif  // LANE_H_
