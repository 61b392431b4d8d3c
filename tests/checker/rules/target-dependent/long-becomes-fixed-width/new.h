// The same bytes on Linux, twice as many on Windows, where long has 32 bits. Should trigger.
#ifndef CLOCK_H_
#define CLOCK_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ClockArgs {
  size_t struct_size;
  int64_t ticks;
  int32_t source;
} ClockArgs;

#endif  // CLOCK_H_
