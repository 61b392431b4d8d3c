/* Should trigger: a macro with a value by default is no guard. */
#ifndef GUARD_LIMIT
#define GUARD_LIMIT 12
#endif

typedef struct GuardPoint {
  double x;
} GuardPoint;
