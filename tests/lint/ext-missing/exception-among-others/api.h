// Every struct but one has `ext` behind its size. Should trigger for that one.
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
  void* ext;
  uint64_t nanoseconds;
} SP_Timer;

typedef struct SP_Stats {
  size_t struct_size;
  int64_t num_allocs;
} SP_Stats;

typedef struct SP_Platform {
  size_t struct_size;
  void* ext;
  const char* name;
} SP_Platform;

#endif  // TP_API_H_
