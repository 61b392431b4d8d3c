// C++ is told the type that its compiler has chosen, with a sign that no value has. Should not trigger.
#ifndef DEVICE_H_
#define DEVICE_H_
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum {
  DEVICE_CPU = 1,
  DEVICE_GPU = 2
} Device;
int device_use(Device device);
#ifdef __cplusplus
}
#endif
#endif
