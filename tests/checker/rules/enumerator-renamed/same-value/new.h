// The value stays, the name goes: only source code notices. Should trigger.
#ifndef DEV_H_
#define DEV_H_

typedef enum {
  kDevCPU = 1,
  kDevCUDA = 2,
  kDevCUDAHost = 3
} DevType;

int dev_open(DevType type, int id);

#endif  // DEV_H_
