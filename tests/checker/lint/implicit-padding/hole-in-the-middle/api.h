// Four bytes before the pointer belong to nobody. Should trigger; padding at the end should not.
#ifndef PAD_H_
#define PAD_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PadDevice {
  size_t struct_size;
  int32_t ordinal;
  void* handle;
  int32_t kind;
} PadDevice;

#endif  // PAD_H_
