#ifndef EXAMPLE_UNSAID_IS_NOT_REQUIRED_H_
#define EXAMPLE_UNSAID_IS_NOT_REQUIRED_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it.
  void (*close)(void);  // Closes it. Required.
} FontFns;

#endif  // EXAMPLE_UNSAID_IS_NOT_REQUIRED_H_
