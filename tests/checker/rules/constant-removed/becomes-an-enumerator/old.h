// The name keeps its value, as an enumerator. Should not trigger.
#ifndef LIMITS_H_
#define LIMITS_H_

#define LIMIT_LOW 1
#define LIMIT_HIGH 2

int limit_check(int devices);

#endif  // LIMITS_H_
