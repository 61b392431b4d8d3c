/* Should not trigger. */
#define GUARD_LIMIT 12
#ifdef __cplusplus
extern "C" {
#endif
#pragma once

typedef struct GuardPoint {
  double x;
} GuardPoint;

#ifdef __cplusplus
}
#endif
