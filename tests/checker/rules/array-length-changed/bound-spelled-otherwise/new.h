// The same number by another expression. Should not trigger.
#ifndef PCI_H_
#define PCI_H_

#include <stddef.h>
#include <stdint.h>

#define PCI_NAME_BYTES (1u << 6)

typedef struct PciDevice {
  size_t struct_size;
  char name[PCI_NAME_BYTES];
  uint8_t padding[4 * sizeof(uint64_t) - 8];
} PciDevice;

#endif  // PCI_H_
