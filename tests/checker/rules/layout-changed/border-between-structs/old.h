// A member goes from one struct without a name to the next, and stays where it is.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  struct {
    int32_t left;
    int32_t right;
  };
  struct {
    int32_t low;
    int32_t high;
  };
} Lane;

#endif  // LANE_H_
