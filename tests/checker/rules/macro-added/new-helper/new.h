// A new macro is an addition. Should trigger.
#ifndef ALIGN_H_
#define ALIGN_H_

#include <stddef.h>

#define ALIGN_DOWN(value, boundary) ((value) / (boundary) * (boundary))

size_t align_default(void);

#endif  // ALIGN_H_
