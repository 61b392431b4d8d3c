// Required from now on; of the other one nothing is said any more. Should trigger as MAJOR, and as MINOR.
#ifndef EXAMPLE_NO_LONGER_OPTIONAL_H_
#define EXAMPLE_NO_LONGER_OPTIONAL_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Required.
  void (*close)(void);  // Closes it.
} FontFns;

#endif  // EXAMPLE_NO_LONGER_OPTIONAL_H_
