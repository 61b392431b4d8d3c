// A guard and a macro for an attribute are no constants. Should not trigger.
#ifndef LIMITS_H_
#define LIMITS_H_

#if defined(__GNUC__)
#define LIMIT_PURE __attribute__((pure))
#else
#define LIMIT_PURE
#endif

LIMIT_PURE int limit_check(int devices);

#endif  // LIMITS_H_
