#ifndef EXAMPLE_REQUIRED_IS_WHAT_IT_WAS_H_
#define EXAMPLE_REQUIRED_IS_WHAT_IT_WAS_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it.
  void (*close)(void);  // Closes it. Required.
} FontFns;

#endif  // EXAMPLE_REQUIRED_IS_WHAT_IT_WAS_H_
