// A function never returns any more, another was always so. Should not trigger.
#ifndef EXAMPLE_NEVER_RETURNS_NOW_H_
#define EXAMPLE_NEVER_RETURNS_NOW_H_

_Noreturn void toy_stop(int code);
_Noreturn void toy_end(void);

#endif  // EXAMPLE_NEVER_RETURNS_NOW_H_
