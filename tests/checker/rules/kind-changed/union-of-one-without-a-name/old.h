// The union of a member has no name and one member; as a struct it has the same bytes, and nobody can write its kind.
#ifndef FRAME_H_
#define FRAME_H_

#include <stdint.h>

typedef struct Frame {
  uint32_t length;
  union {
    uint64_t word;
  } payload;
} Frame;

#endif  // FRAME_H_
