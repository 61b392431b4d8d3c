// The highest bit of 32 still fits. Should not trigger.
#ifndef MASK_H_
#define MASK_H_

typedef enum Mask {
  MASK_READ = 1,
  MASK_WRITE = 2
} Mask;

int mask_check(Mask mask);

#endif  // MASK_H_
