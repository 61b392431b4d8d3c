#ifndef GUARD_POINT_H_
#define GUARD_POINT_H_

typedef struct GuardPoint {
  double x;
} GuardPoint;

#else

/* Should trigger: this part is read from the second time on, every time. */
typedef struct GuardAgain {
  double x;
} GuardAgain;

#endif
