// A union without a name takes one: its alternatives stay where they are.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  union {
    int64_t whole;
    double real;
  } value;
  int32_t last;
} Lane;

#endif  // LANE_H_
