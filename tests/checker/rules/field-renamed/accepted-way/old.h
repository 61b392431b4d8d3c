// The new name is appended, the old one marked: the way the strategy wants it. Should not trigger.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_END(type, member) (offsetof(type, member) + sizeof(((type*)0)->member))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  const char* name;  // Optional. NULL is no-op.
  void* device_handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_END(SP_Device, device_handle)

#endif  // TP_DEVICE_H_
