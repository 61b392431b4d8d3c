/* A comment first, then the pragma. Should not trigger. */
#pragma once

typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;
