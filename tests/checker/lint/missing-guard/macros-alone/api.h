/* Macros may be defined twice in the same way. Should not trigger. */
#define GUARD_LIMIT 12
#define GUARD_TWICE(x) (2 * (x))
