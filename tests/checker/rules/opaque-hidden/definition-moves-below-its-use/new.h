// Still defined, only later in the file. Should not trigger.
#ifndef BUF_H_
#define BUF_H_

#include <stddef.h>

struct BufView;

size_t buf_size(const struct BufView* view);

typedef struct BufView {
  const void* data;
  size_t size;
} BufView;

#endif  // BUF_H_
