// NULL chose something by default; a reader that takes it for nothing does something else. Should trigger as MAJOR.
#ifndef EXAMPLE_DEFAULT_BECOMES_NO_OP_H_
#define EXAMPLE_DEFAULT_BECOMES_NO_OP_H_

#include <stddef.h>

typedef struct FontStyle {
  size_t struct_size;
  const char* family;   // Family. Optional. NULL is no-op.
  const char* language; // Language. NULL is no-op.
} FontStyle;

#endif  // EXAMPLE_DEFAULT_BECOMES_NO_OP_H_
