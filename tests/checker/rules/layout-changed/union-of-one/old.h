// A union of one member is that member.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  int32_t left;
  int32_t right;
} Lane;

#endif  // LANE_H_
