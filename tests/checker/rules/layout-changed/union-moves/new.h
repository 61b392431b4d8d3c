// A union without a name moves behind a member.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  int32_t first;
  int32_t last;
  union {
    int32_t whole;
    float real;
  };
} Lane;

#endif  // LANE_H_
