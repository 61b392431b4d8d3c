// A member of the first release, one that says it, and one in a struct that is as young. Should not trigger.
#ifndef ZERO_H_
#define ZERO_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ZeroDevice {
  size_t struct_size;
  int64_t width;
  int64_t height;  // Since 1.2.0. 0 is meaningful.
} ZeroDevice;

// Since 1.2.0.
typedef struct ZeroStream {
  size_t struct_size;
  int64_t priority;  // Since 1.2.0.
} ZeroStream;

#endif  // ZERO_H_
