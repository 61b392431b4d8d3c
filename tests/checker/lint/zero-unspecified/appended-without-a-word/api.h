// What an older producer leaves out, and a newer one leaves zero, has to be told from a value. Should trigger.
#ifndef ZERO_H_
#define ZERO_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ZeroDevice {
  size_t struct_size;
  int64_t width;
  int64_t height;  // Since 1.2.0.
} ZeroDevice;

#endif  // ZERO_H_
