// A new macro is an addition. Should trigger.
#ifndef ALIGN_H_
#define ALIGN_H_

#include <stddef.h>

size_t align_default(void);

#endif  // ALIGN_H_
