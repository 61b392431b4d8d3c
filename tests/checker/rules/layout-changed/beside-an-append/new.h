// An appended member does not explain what moved before it.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  union {
    int32_t whole;
    float real;
  };
  int32_t first;
  int64_t last;
  int64_t more;
} Lane;

#endif  // LANE_H_
