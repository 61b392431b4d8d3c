// Options that carry their size, under another name than the usual one.
#ifndef RING_H_
#define RING_H_

#include <stddef.h>

struct ring_opts {
  size_t sz;  // size of this struct, for forward compatibility
  unsigned long depth;
  const char* label;  // NULL is no-op.
};

// Takes a const pointer: the caller fills it.
int ring_open(const char* name, const struct ring_opts* opts);

#endif  // RING_H_
