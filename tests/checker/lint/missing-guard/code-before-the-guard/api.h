/* Should trigger: the first struct stands before the guard. */
typedef struct GuardSize {
  double width;
} GuardSize;

#ifndef GUARD_POINT_H_
#define GUARD_POINT_H_

typedef struct GuardPoint {
  double x;
} GuardPoint;

#endif
