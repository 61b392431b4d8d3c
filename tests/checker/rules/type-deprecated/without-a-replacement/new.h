// A whole struct is marked and nothing takes its place. Should trigger.
#ifndef TP_TYPES_H_
#define TP_TYPES_H_

#include <stddef.h>
#include <stdint.h>

// `TP_Device` will be deprecated soon.
typedef struct TP_Device {
  size_t struct_size;
  void* ext;
} TP_Device;

typedef struct TP_BetterDevice {
  size_t struct_size;
  void* ext;
  const char* name;
} TP_BetterDevice;

#endif  // TP_TYPES_H_
