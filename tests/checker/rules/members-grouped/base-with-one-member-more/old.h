// The base brings a member of its own, so everything behind it moves: more than a mere grouping.
#ifndef EXT_API_H_
#define EXT_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct EXT_Profiler_Extension {
  size_t struct_size;
  void* next;
  const void* profiler_api;
} EXT_Profiler_Extension;

#endif  // EXT_API_H_
