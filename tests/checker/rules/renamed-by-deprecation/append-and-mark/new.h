// A new name appended that says what it replaces, and the old one marked: the accepted rename. Should trigger.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  int32_t ordinal;
  const char* name;  // Deprecating soon. Use `better_name`. Optional. NULL is no-op.
  void* device_handle;
  const char* better_name;  // Replaces `name`. NULL is no-op.
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_OFFSET_OF_END(SP_Device, better_name)

#endif  // TP_DEVICE_H_
