// A bit-field is appended in a memory location of its own, another behind a plain member. Should not trigger.
#ifndef EXAMPLE_BIT_FIELD_BEHIND_A_SEPARATOR_H_
#define EXAMPLE_BIT_FIELD_BEHIND_A_SEPARATOR_H_

#include <stddef.h>

typedef struct {
  size_t struct_size;
  int kind;
  unsigned flags : 32;  // Zero means none.
} Toy;

typedef struct {
  size_t struct_size;
  int low : 4;
  int kind;
} Box;

#endif  // EXAMPLE_BIT_FIELD_BEHIND_A_SEPARATOR_H_
