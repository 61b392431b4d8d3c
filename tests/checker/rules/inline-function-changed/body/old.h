// Functions that users compile do something else. Should trigger twice.
#ifndef EXAMPLE_BODY_OF_AN_INLINE_FUNCTION_H_
#define EXAMPLE_BODY_OF_AN_INLINE_FUNCTION_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_ADD(a, b) ((a) + (b))
static inline int toy_next(int a) { return TOY_ADD(a, 1); }
static inline int toy_last(int a) { return a - 1; }

#endif  // EXAMPLE_BODY_OF_AN_INLINE_FUNCTION_H_
