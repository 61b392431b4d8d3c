// Values that both sides have compiled in. Should trigger for each.
#ifndef LIMITS_H_
#define LIMITS_H_

#define LIMIT_MAX_DEVICES 32
#define LIMIT_TIMEOUT_NS (6 * 1000 * 1000)
#define LIMIT_ENTRY_POINT "limit_init_v2"
#define LIMIT_SCALE 0.25

int limit_check(int devices);

#endif  // LIMITS_H_
