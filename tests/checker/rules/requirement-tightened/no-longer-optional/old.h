#ifndef EXAMPLE_NO_LONGER_OPTIONAL_H_
#define EXAMPLE_NO_LONGER_OPTIONAL_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Optional.
  void (*close)(void);  // Closes it. Optional.
} FontFns;

#endif  // EXAMPLE_NO_LONGER_OPTIONAL_H_
