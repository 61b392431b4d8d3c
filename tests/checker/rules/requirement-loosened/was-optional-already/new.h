// Now it also says what NULL means; optional it was before. Should not trigger.
#ifndef EXAMPLE_WAS_OPTIONAL_ALREADY_H_
#define EXAMPLE_WAS_OPTIONAL_ALREADY_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Optional. NULL is no-op.
} FontFns;

#endif  // EXAMPLE_WAS_OPTIONAL_ALREADY_H_
