// It is there, but not where the others have it. Should trigger.
#ifndef TP_API_H_
#define TP_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_Device {
  size_t struct_size;
  void* ext;
  void* device_handle;
} SP_Device;

typedef struct SP_Timer {
  size_t struct_size;
  uint64_t nanoseconds;
  void* ext;
} SP_Timer;

typedef struct SP_Stats {
  size_t struct_size;
  void* ext;
  int64_t num_allocs;
} SP_Stats;

typedef struct SP_Platform {
  size_t struct_size;
  void* ext;
  const char* name;
} SP_Platform;

#endif  // TP_API_H_
