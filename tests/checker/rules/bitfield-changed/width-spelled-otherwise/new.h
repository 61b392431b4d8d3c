// The same widths, one of them by a constant expression. Should not trigger.
#ifndef REGISTER_H_
#define REGISTER_H_

#include <stdint.h>

typedef struct RegisterFlags {
  uint32_t enabled : 1;
  uint32_t mode : (1 << 1);
  unsigned int level : 8 - 3;
} RegisterFlags;

#endif  // REGISTER_H_
