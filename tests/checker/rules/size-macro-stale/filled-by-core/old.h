// The same as appending to a struct of the plugin, the other way round: core fills it. Should trigger.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SE_Device {
  size_t struct_size;
  void* ext;
  void* device_handle;
} SE_Device;

#define SE_DEVICE_STRUCT_SIZE TP_OFFSET_OF_END(SE_Device, device_handle)

#endif  // TP_DEVICE_H_
