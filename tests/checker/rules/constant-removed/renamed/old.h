// The value stays under a name that resembles the old one: one finding.
#ifndef LIMITS_H_
#define LIMITS_H_

#define LIMIT_MAX_DEVICES 16

int limit_check(int devices);

#endif  // LIMITS_H_
