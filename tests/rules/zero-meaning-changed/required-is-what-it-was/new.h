// What does not say `Optional.` is required, whether it says so or not. Should not trigger.
#ifndef EXAMPLE_REQUIRED_IS_WHAT_IT_WAS_H_
#define EXAMPLE_REQUIRED_IS_WHAT_IT_WAS_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Required.
  void (*close)(void);  // Closes it.
} FontFns;

#endif  // EXAMPLE_REQUIRED_IS_WHAT_IT_WAS_H_
