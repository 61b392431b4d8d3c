// A macro said to C++ what stands there now in so many words. Should not trigger.
#ifndef DEVICE_H_
#define DEVICE_H_
#include <stdint.h>
#ifdef __cplusplus
#define DEVICE_BASE : int32_t
#else
#define DEVICE_BASE
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef enum DEVICE_BASE {
  DEVICE_CPU = 1,
  DEVICE_GPU = 2
} Device;
int device_use(Device device);
#ifdef __cplusplus
}
#endif
#endif
