// Constants of a new struct name a member and structs that there are not; nobody used them before. Should trigger
// for each.
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


#endif  // TP_DEVICE_H_
