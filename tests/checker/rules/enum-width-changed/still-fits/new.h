// The highest bit of 32 still fits. Should not trigger.
#ifndef MASK_H_
#define MASK_H_

typedef enum Mask {
  MASK_READ = 1,
  MASK_WRITE = 2,
  MASK_TOP = 0x80000000u
} Mask;

int mask_check(Mask mask);

#endif  // MASK_H_
