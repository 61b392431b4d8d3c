// The size stands in the base that comes first, which makes the extension versioned.
#ifndef EXT_API_H_
#define EXT_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct EXT_Extension_Base {
  size_t struct_size;
  int32_t type;
  struct EXT_Extension_Base* next;
} EXT_Extension_Base;

typedef struct EXT_Profiler_Extension {
  EXT_Extension_Base base;
  const void* profiler_api;
} EXT_Profiler_Extension;

#define EXT_PROFILER_EXTENSION_STRUCT_SIZE \
  (offsetof(EXT_Profiler_Extension, profiler_api) + sizeof(((EXT_Profiler_Extension*)0)->profiler_api))

#endif  // EXT_API_H_
