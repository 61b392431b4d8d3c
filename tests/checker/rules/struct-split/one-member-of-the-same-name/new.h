// Members that are functions go into a table of their own.
#ifndef CAM_H_
#define CAM_H_

#include <stddef.h>
#include <stdint.h>

typedef struct CAM_Device {
  size_t struct_size;
  const char* name;
  int32_t (*start)(void* self);
  int32_t (*grab)(void* self, void* frame, uint64_t bytes);
  uint64_t frame_bytes;
} CAM_Device;

typedef struct CAM_Recorder {
  size_t struct_size;
  const char* path;
  int32_t (*stop)(void* self);
} CAM_Recorder;

#endif  // CAM_H_
