// `ordinal` doubles in size and pushes the handle away. Should trigger, once.
#ifndef TP_PARAMS_H_
#define TP_PARAMS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SE_CreateDeviceParams {
  size_t struct_size;
  void* ext;
  int64_t ordinal;
  int32_t numa_node;
  void* device;
} SE_CreateDeviceParams;

#endif  // TP_PARAMS_H_
