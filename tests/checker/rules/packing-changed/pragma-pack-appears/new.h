// The padding behind `kind` disappears and everything moves. Should trigger, once.
#ifndef WIRE_H_
#define WIRE_H_

#include <stdint.h>

#pragma pack(push, 1)
typedef struct WireRecord {
  uint8_t kind;
  uint32_t length;
  uint64_t sequence;
} WireRecord;
#pragma pack(pop)

#endif  // WIRE_H_
