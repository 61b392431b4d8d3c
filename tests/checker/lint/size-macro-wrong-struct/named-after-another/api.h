// Copied from the struct above and not changed. Should trigger; the struct that is left without a constant follows.
#ifndef DV_H_
#define DV_H_

#include <stddef.h>
#include <stdint.h>

#define DV_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct DvDevice {
  size_t struct_size;
  void* handle;
} DvDevice;
#define DV_DEVICE_STRUCT_SIZE DV_END(DvDevice, handle)

typedef struct DvStream {
  size_t struct_size;
  void* handle;
  int64_t priority;
} DvStream;
#define DV_STREAM_STRUCT_SIZE DV_END(DvDevice, handle)

typedef struct DvEvent {
  size_t struct_size;
  int64_t time_ns;
} DvEvent;
#define DV_EVENT_STRUCT_SIZE (offsetof(DvEvent, time_ns) + sizeof(((DvStream*)0)->priority))

#endif  // DV_H_
