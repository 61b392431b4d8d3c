// What is moved by another change is told there.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  int64_t first;
  union {
    int32_t whole;
    float real;
  };
} Lane;

#endif  // LANE_H_
