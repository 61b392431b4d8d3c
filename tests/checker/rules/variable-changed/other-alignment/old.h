// An object is aligned to less, another to more. Should trigger.
#ifndef EXAMPLE_OTHER_ALIGNMENT_H_
#define EXAMPLE_OTHER_ALIGNMENT_H_

#include <stddef.h>

extern _Alignas(64) char toy_line[64];
extern int toy_count;

#endif  // EXAMPLE_OTHER_ALIGNMENT_H_
