// The padding behind `kind` disappears and everything moves. Should trigger, once.
#ifndef WIRE_H_
#define WIRE_H_

#include <stdint.h>

typedef struct WireRecord {
  uint8_t kind;
  uint32_t length;
  uint64_t sequence;
} WireRecord;

#endif  // WIRE_H_
