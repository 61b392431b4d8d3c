/* An older version of it that was included before is refused, and the version is the guard. Should not trigger. */
#if defined(GUARD_VERSION) && GUARD_VERSION < 3
#error "An older version of this header has been included before."
#endif

#define GUARD_API_NAME "guard"

#if !defined(GUARD_VERSION)
#define GUARD_VERSION 3

typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;

#endif
