// The only name of an opaque type goes: whoever holds such an object has nobody to talk to any more.
#ifndef TX_HANDLE_H_
#define TX_HANDLE_H_
#include <stdint.h>


typedef struct TX_Device {
  int32_t index;
} TX_Device;

#endif  // TX_HANDLE_H_
