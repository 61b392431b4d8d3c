// The name keeps its value, as an enumerator. Should not trigger.
#ifndef LIMITS_H_
#define LIMITS_H_

enum { LIMIT_LOW = 1, LIMIT_HIGH };

int limit_check(int devices);

#endif  // LIMITS_H_
