// The three leading members move into a base struct of their own: not a byte changes, but `extension.next` becomes
// `extension.base.next`.
#ifndef EXT_API_H_
#define EXT_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct EXT_Profiler_Extension {
  size_t struct_size;
  int64_t type;
  void* next;
  const void* profiler_api;
} EXT_Profiler_Extension;

#endif  // EXT_API_H_
