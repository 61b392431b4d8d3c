// Nothing keeps this header from being read twice. Should trigger.
typedef struct GuardPoint {
  double x;
  double y;
} GuardPoint;
