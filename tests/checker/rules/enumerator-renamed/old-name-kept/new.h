// The old name stays as a second name for the value. Should not trigger.
#ifndef DEV_H_
#define DEV_H_

typedef enum {
  kDevCPU = 1,
  kDevCUDA = 2,
  kDevGPU = kDevCUDA
} DevType;

int dev_open(DevType type, int id);

#endif  // DEV_H_
