// The base brings a member of its own, so everything behind it moves: more than a mere grouping.
#ifndef EXT_API_H_
#define EXT_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct EXT_Extension_Base {
  size_t struct_size;
  int64_t type;
  void* next;
} EXT_Extension_Base;

typedef struct EXT_Profiler_Extension {
  EXT_Extension_Base base;
  const void* profiler_api;
} EXT_Profiler_Extension;

#endif  // EXT_API_H_
