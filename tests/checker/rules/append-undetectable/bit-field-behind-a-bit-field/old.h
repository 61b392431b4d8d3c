// A bit-field is appended right behind the last one, with which compilers read and write it. Should trigger.
#ifndef EXAMPLE_BIT_FIELD_BEHIND_A_BIT_FIELD_H_
#define EXAMPLE_BIT_FIELD_BEHIND_A_BIT_FIELD_H_

#include <stddef.h>

typedef struct {
  size_t struct_size;
  int kind;
  unsigned flags : 32;  // Zero means none.
} Toy;

#endif  // EXAMPLE_BIT_FIELD_BEHIND_A_BIT_FIELD_H_
