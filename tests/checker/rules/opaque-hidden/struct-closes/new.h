// The members disappear behind a handle. Should trigger.
#ifndef BUF_H_
#define BUF_H_

#include <stddef.h>

typedef struct BufView BufView;

size_t buf_size(const BufView* view);

#endif  // BUF_H_
