// On Windows a typedef's alignment counts in a packed struct, too; elsewhere it asks for what the type has anyway.
#ifndef STAMP_H_
#define STAMP_H_

#include <stdint.h>

typedef int64_t Stamp;
struct __attribute__((packed)) Event {
  uint32_t kind;
  Stamp when;
};

#endif  // STAMP_H_
