// `get_gflops` goes without a release in which it was marked deprecated. Should trigger.
#ifndef TP_DEVICE_FNS_H_
#define TP_DEVICE_FNS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_Device SP_Device;

typedef struct SP_DeviceFns {
  size_t struct_size;
  void* ext;
  int32_t (*get_numa_node)(const SP_Device* device);
  int64_t (*get_memory_bandwidth)(const SP_Device* device);
  double (*get_gflops)(const SP_Device* device);
} SP_DeviceFns;

#endif  // TP_DEVICE_FNS_H_
