// The second members have nothing in common: no convention, nothing to report.
#ifndef TP_API_H_
#define TP_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct TP_Device {
  size_t struct_size;
  void* device_handle;
  void* ext;
} TP_Device;

typedef struct TP_Timer {
  size_t struct_size;
  uint64_t nanoseconds;
} TP_Timer;

typedef struct TP_Stats {
  size_t struct_size;
  int64_t num_allocs;
} TP_Stats;

#endif  // TP_API_H_
