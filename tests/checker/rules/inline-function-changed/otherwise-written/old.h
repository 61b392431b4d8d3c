// Only white space differs, and what a macro in it stands for, which is said of the macro. Should not trigger.
#ifndef EXAMPLE_INLINE_FUNCTION_OTHERWISE_WRITTEN_H_
#define EXAMPLE_INLINE_FUNCTION_OTHERWISE_WRITTEN_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_STEP 1
static inline int toy_next(int a) { return a + TOY_STEP; }
static inline int toy_last(int a);
int toy_play(int a);

#endif  // EXAMPLE_INLINE_FUNCTION_OTHERWISE_WRITTEN_H_
