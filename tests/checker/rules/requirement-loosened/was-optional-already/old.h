#ifndef EXAMPLE_WAS_OPTIONAL_ALREADY_H_
#define EXAMPLE_WAS_OPTIONAL_ALREADY_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Optional.
} FontFns;

#endif  // EXAMPLE_WAS_OPTIONAL_ALREADY_H_
