// The same number by another expression. Should not trigger.
#ifndef PCI_H_
#define PCI_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PciDevice {
  size_t struct_size;
  char name[64];
  uint8_t padding[24];
} PciDevice;

#endif  // PCI_H_
