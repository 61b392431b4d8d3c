// The first element of reserved bytes gets a purpose, the rest stays reserved.
#ifndef SLOT_H_
#define SLOT_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Slot {
  size_t struct_size;
  void* owner;  // NULL is no-op.
  uint64_t reserved[3];
} Slot;

#endif  // SLOT_H_
