/* The frame of C++ stands around the guard, as in zstd. Should not trigger. */
#if defined (__cplusplus)
extern "C" {
#endif

#ifndef GUARD_POINT_H_001
#define GUARD_POINT_H_001

typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;

#endif /* GUARD_POINT_H_001 */

#if defined (__cplusplus)
}
#endif
