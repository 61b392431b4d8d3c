// A struct that another header may define, a member of an anonymous union, and a macro that is no size: all of
// them exist. Should not trigger.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  void* device_handle;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_OFFSET_OF_END(SP_Device, device_handle)

typedef struct SP_Stream SP_Stream;

#endif  // TP_DEVICE_H_
