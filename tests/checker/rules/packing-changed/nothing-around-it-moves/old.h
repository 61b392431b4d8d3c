// The union of a packed member has no name and is aligned otherwise; no byte moves. Should not trigger.
#ifndef FRAME_H_
#define FRAME_H_

#include <stdint.h>

typedef struct __attribute__((packed)) Frame {
  uint32_t length;
  union {
    uint64_t word;
    uint8_t bytes[8];
  } payload;
  uint8_t last;
} Frame;

#endif  // FRAME_H_
