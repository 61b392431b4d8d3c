// A union without a name asks for an alignment.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  int32_t first;
  union {
    int32_t whole;
    float real;
  } __attribute__((aligned(16)));
} Lane;

#endif  // LANE_H_
