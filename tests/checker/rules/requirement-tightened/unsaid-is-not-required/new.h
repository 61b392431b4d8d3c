// What says nothing is not required: saying so demands more, and no longer saying so demands less. Should trigger.
#ifndef EXAMPLE_UNSAID_IS_NOT_REQUIRED_H_
#define EXAMPLE_UNSAID_IS_NOT_REQUIRED_H_

#include <stddef.h>

typedef struct FontFns {
  size_t struct_size;
  void (*open)(void);   // Opens it. Required.
  void (*close)(void);  // Closes it.
} FontFns;

#endif  // EXAMPLE_UNSAID_IS_NOT_REQUIRED_H_
