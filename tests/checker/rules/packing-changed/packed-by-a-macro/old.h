// The attribute hides in a macro. Should trigger.
#ifndef WIRE_H_
#define WIRE_H_

#include <stdint.h>

#define WIRE_TYPE

typedef struct WireRecord {
  uint8_t kind;
  uint32_t length;
} WIRE_TYPE WireRecord;

#endif  // WIRE_H_
