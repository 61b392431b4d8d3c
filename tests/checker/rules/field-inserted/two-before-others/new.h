// Two members in the middle of a function table: one finding each, the moved ones are consequences.
#ifndef FILTER_H_
#define FILTER_H_

#include <stddef.h>
#include <stdint.h>

typedef struct FilterFns {
  size_t struct_size;
  void* (*create)(const char* name);
  int32_t (*reset)(void* filter);
  int32_t (*flush)(void* filter, void* out, size_t bytes);
  int32_t (*process)(void* filter, const void* in, void* out, size_t bytes);
  void (*destroy)(void* filter);
} FilterFns;

#endif  // FILTER_H_
