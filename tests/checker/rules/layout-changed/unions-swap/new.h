// Two unions without names change places.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  union {
    int64_t wide;
    double exact;
  };
  union {
    int32_t whole;
    float real;
  };
} Lane;

#endif  // LANE_H_
