// A struct without a name is packed.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  char first;
  struct {
    char left;
    int32_t right;
  } __attribute__((packed));
  char last;
} Lane;

#endif  // LANE_H_
