// The type that the enumeration has in C++ only gets wider. Should trigger.
#ifndef DEVICE_H_
#define DEVICE_H_
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  DEVICE_CPU = 1,
  DEVICE_GPU = 2
} Device;
int device_use(Device device);
#ifdef __cplusplus
}
#endif
#endif
