// `flags` fits into the padding behind `ordinal`, so nothing moves and no size changes. Should trigger all the same:
// nobody can tell a producer that fills it from one that leaves rubbish in the padding.
#ifndef PROBE_H_
#define PROBE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ProbeDevice {
  size_t struct_size;
  int32_t ordinal;
  uint32_t flags;
  void* device_handle;
} ProbeDevice;

#define PROBE_DEVICE_STRUCT_SIZE (offsetof(ProbeDevice, device_handle) + sizeof(((ProbeDevice*)0)->device_handle))

#endif  // PROBE_H_
