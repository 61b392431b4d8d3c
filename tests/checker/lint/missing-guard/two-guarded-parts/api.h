/* A part for everyone, and one for those who ask. Should not trigger. */
#ifndef GUARD_POINT_H_
#define GUARD_POINT_H_

typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;

#endif

#if defined(GUARD_STATIC_LINKING_ONLY) && !defined(GUARD_POINT_STATIC_H_)
#define GUARD_POINT_STATIC_H_

typedef struct GuardCircle {
  GuardPoint centre;
  double radius;
} GuardCircle;

#endif
