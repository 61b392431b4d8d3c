// The bytes stay, the name goes: plugins no longer compile. Should trigger.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_END(type, member) (offsetof(type, member) + sizeof(((type*)0)->member))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  int32_t ordinal;
  void* dev_handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_END(SP_Device, dev_handle)

#endif  // TP_DEVICE_H_
