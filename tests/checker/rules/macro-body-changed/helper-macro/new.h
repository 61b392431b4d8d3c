// What the macro does is compiled into its users; a tool cannot judge it, so it asks for a review.
#ifndef ALIGN_H_
#define ALIGN_H_

#include <stddef.h>

#define ALIGN_UP(value, boundary) (((value) + (boundary) - 1) & ~((boundary) - 1))

size_t align_default(void);

#endif  // ALIGN_H_
