// The new name stands first in the text with a value of its own; no other value moves. Should not trigger.
#ifndef DEV_H_
#define DEV_H_

typedef enum {
  kDevExternal = 12,
  kDevCPU = 1,
  kDevGPU = 2,
  kDevFPGA
} DevType;

int dev_open(DevType type, int id);

#endif  // DEV_H_
