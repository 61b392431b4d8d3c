// A new constant is an addition. Should trigger.
#ifndef LIMITS_H_
#define LIMITS_H_

#define LIMIT_MAX_DEVICES 16
#define LIMIT_FLAG_BLOCKING (1UL << 0UL)

int limit_check(int devices);

#endif  // LIMITS_H_
