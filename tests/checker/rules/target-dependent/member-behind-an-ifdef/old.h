// A member that only Windows has is inserted: the header asks what the target is, and only that target breaks.
#ifndef MUTEX_H_
#define MUTEX_H_

#include <stddef.h>
#include <stdint.h>

typedef struct MutexArgs {
  size_t struct_size;
  uint64_t spins;
  uint64_t timeout_ns;
} MutexArgs;

#endif  // MUTEX_H_
