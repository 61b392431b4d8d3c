// Names of parameters, line breaks, and an array that decays to a pointer anyway. Nothing above PATCH.
#ifndef TP_MEMCPY_H_
#define TP_MEMCPY_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_CopyFns {
  size_t struct_size;
  void* ext;
  void (*copy)(void* device,
               void* destination,
               const void* source,
               uint64_t size);
  void (*shape)(void* device, int64_t* dims);
  void (*synchronize)(void* device);
} SP_CopyFns;

#endif  // TP_MEMCPY_H_
