// Layout of the text and the names of parameters. Should not trigger.
#ifndef ALIGN_H_
#define ALIGN_H_

#include <stddef.h>

#define ALIGN_UP(bytes, step) \
  (((bytes) + (step) - 1)     \
   / (step) * (step))

size_t align_default(void);

#endif  // ALIGN_H_
