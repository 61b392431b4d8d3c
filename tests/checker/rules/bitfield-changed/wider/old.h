// One bit more for `mode` moves `level` by a bit. Should trigger, once.
#ifndef REGISTER_H_
#define REGISTER_H_

#include <stdint.h>

typedef struct RegisterFlags {
  uint32_t enabled : 1;
  uint32_t mode : 2;
  uint32_t level : 5;
  uint32_t channel;
} RegisterFlags;

#endif  // REGISTER_H_
