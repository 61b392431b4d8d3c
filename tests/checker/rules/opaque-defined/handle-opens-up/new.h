// A handle whose contents nobody knew gets a definition. Should trigger as an addition.
#ifndef BUF_H_
#define BUF_H_

#include <stddef.h>

typedef struct BufView {
  const void* data;
  size_t size;
} BufView;

size_t buf_size(const BufView* view);

#endif  // BUF_H_
