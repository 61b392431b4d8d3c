// The same under the strict policy. Should trigger as an error.
#ifndef PAD_H_
#define PAD_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PadDevice {
  size_t struct_size;
  int32_t ordinal;
  void* handle;
} PadDevice;

#endif  // PAD_H_
