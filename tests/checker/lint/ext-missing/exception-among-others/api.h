// Every struct but one has `ext` behind its size. Should trigger for that one.
#ifndef TP_API_H_
#define TP_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct TP_Device {
  size_t struct_size;
  void* ext;
  void* device_handle;
} TP_Device;

typedef struct TP_Timer {
  size_t struct_size;
  void* ext;
  uint64_t nanoseconds;
} TP_Timer;

typedef struct TP_Stats {
  size_t struct_size;
  int64_t num_allocs;
} TP_Stats;

typedef struct TP_Platform {
  size_t struct_size;
  void* ext;
  const char* name;
} TP_Platform;

#endif  // TP_API_H_
