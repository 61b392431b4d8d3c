// `depth` claims to be older than the member before it. Should trigger.
#ifndef SINCE_H_
#define SINCE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SinceDevice {
  size_t struct_size;
  int64_t width;
  int64_t height;  // Since 1.3.0. 0 is no-op.
  int64_t depth;   // Since 1.2.0. 0 is no-op.
} SinceDevice;

#endif  // SINCE_H_
