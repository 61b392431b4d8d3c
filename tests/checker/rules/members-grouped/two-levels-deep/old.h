// The alternatives of a union without a name go into a struct in a struct: they stay where they are.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  union {
    int64_t whole;
    double real;
  };
  int32_t last;
} Lane;

#endif  // LANE_H_
