// What is asked for is never defined: the guard guards nothing. Should trigger.
#ifndef GUARD_POINT_H_
#define GUARD_POINTS_H_

typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;

#endif
