// Level 0 is a level, and older producers leave exactly that: not a free slot put to use, but a repurposed member.
#ifndef TRACE_H_
#define TRACE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct TraceArgs {
  size_t struct_size;
  const char* label;
  int64_t level;  // 0 is meaningful: the most verbose one.
} TraceArgs;

#endif  // TRACE_H_
