/* Another spelling of the same guard. Should not trigger. */

#if !defined(GUARD_POINT_H_)
#  define GUARD_POINT_H_

typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;

#endif /* GUARD_POINT_H_ */
