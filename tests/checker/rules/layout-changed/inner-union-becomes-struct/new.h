// The kind changes two levels down.
#ifndef LANE_H_
#define LANE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Lane {
  size_t struct_size;
  struct {
    union {
      int32_t whole;
      struct {
        int16_t low;
        int16_t high;
      };
    };
    int32_t last;
  };
} Lane;

#endif  // LANE_H_
