// One value that no int can hold, and the whole enumeration takes eight bytes. Should trigger.
#ifndef MASK_H_
#define MASK_H_

#include <stddef.h>

typedef enum Mask {
  MASK_READ = 1,
  MASK_WRITE = 2,
  MASK_REMOTE = 1ll << 40
} Mask;

typedef struct MaskArgs {
  size_t struct_size;
  Mask mask;
} MaskArgs;

#endif  // MASK_H_
