// Two parameters of one type change places: the bytes are the same, the meaning is not.
#ifndef COPY_H_
#define COPY_H_

#include <stddef.h>
#include <stdint.h>


typedef struct CopyFns {
  size_t struct_size;
  void (*copy)(void* target, const void* source, size_t bytes);
  void (*fill)(void* target, int32_t count, int32_t value);
} CopyFns;

#endif  // COPY_H_
