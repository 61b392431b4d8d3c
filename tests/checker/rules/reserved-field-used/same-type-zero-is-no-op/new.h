// A slot that was kept free takes a name, and zero still means nothing. Should trigger as an addition.
#ifndef TRACE_H_
#define TRACE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct TraceArgs {
  size_t struct_size;
  const char* label;
  void* context;  // NULL is no-op.
  void* reserved1;
} TraceArgs;

#endif  // TRACE_H_
