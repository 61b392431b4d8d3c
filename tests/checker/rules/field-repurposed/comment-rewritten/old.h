// The same type at the same place, but the words now say something else: a person has to look. Should trigger.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  int32_t ordinal;
  int64_t budget;  // Bytes of device memory that the plugin may use.
  void* device_handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_OFFSET_OF_END(SP_Device, device_handle)

#endif  // TP_DEVICE_H_
