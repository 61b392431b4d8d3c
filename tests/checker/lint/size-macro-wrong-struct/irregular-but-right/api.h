// The names are irregular, but no other struct is called so. Should not trigger.
#ifndef DV_H_
#define DV_H_

#include <stddef.h>
#include <stdint.h>

#define DV_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct DvDevice {
  size_t struct_size;
  void* handle;
} DvDevice;
#define DV_DEV_SIZE DV_END(DvDevice, handle)

typedef struct DvStreamExecutor {
  size_t struct_size;
  void* handle;
} DvStreamExecutor;
#define DVSTREAMEXECUTOR_STRUCT_SIZE DV_END(DvStreamExecutor, handle)

#endif  // DV_H_
