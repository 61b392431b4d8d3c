// A function never returns any more, and an older one may; another was always so. Should trigger for the first.
#ifndef EXAMPLE_NEVER_RETURNS_NOW_H_
#define EXAMPLE_NEVER_RETURNS_NOW_H_

_Noreturn void toy_stop(int code);
_Noreturn void toy_end(void);

#endif  // EXAMPLE_NEVER_RETURNS_NOW_H_
