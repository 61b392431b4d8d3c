#ifndef EXAMPLE_DEFAULT_BECOMES_NO_OP_H_
#define EXAMPLE_DEFAULT_BECOMES_NO_OP_H_

#include <stddef.h>

typedef struct FontStyle {
  size_t struct_size;
  const char* family;   // Family. Optional. NULL by default.
  const char* language; // Language.
} FontStyle;

#endif  // EXAMPLE_DEFAULT_BECOMES_NO_OP_H_
