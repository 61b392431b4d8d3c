// The name grows and moves the serial number. Should trigger, once.
#ifndef PCI_H_
#define PCI_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PciDevice {
  size_t struct_size;
  char name[32];
  uint64_t serial;
} PciDevice;

#endif  // PCI_H_
