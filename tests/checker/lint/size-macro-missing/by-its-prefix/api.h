// No struct of this header has a constant, but this one's prefix says that it should. Should trigger.
#ifndef EXAMPLE_BY_ITS_PREFIX_H_
#define EXAMPLE_BY_ITS_PREFIX_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_Meter {
  size_t struct_size;
  void* ext;
  int64_t reading;
} SP_Meter;

#endif  // EXAMPLE_BY_ITS_PREFIX_H_
