// The way to extend a struct: at the end, with its size constant, with a word on zero. Should trigger as an addition.
#ifndef TP_DEVICE_H_
#define TP_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#define SE_MAJOR 1
#define SE_MINOR 1
#define SE_PATCH 0

#ifndef TP_OFFSET_OF_END
#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#endif  // TP_OFFSET_OF_END

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SP_Device {
  size_t struct_size;
  void* ext;        // free-form data set by plugin
  int32_t ordinal;  // device index
  void* device_handle;

  // Name of the hardware as the vendor sells it. NULL is no-op.
  const char* hardware_name;
} SP_Device;

#define SP_DEVICE_STRUCT_SIZE TP_OFFSET_OF_END(SP_Device, hardware_name)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TP_DEVICE_H_
