// C++ is told a type with a sign, and a bit-field of it has no room for that. Should trigger.
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
typedef struct Slot {
  Device device : 2;
  unsigned int rest : 30;
} Slot;
int device_use(const Slot* slot);
#ifdef __cplusplus
}
#endif
#endif
