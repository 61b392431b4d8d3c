// Other spellings, the same values. Should not trigger.
#ifndef LIMITS_H_
#define LIMITS_H_

#define LIMIT_PAGE 4096
#define LIMIT_MASK 0xff
#define LIMIT_NAME "limit"
#define LIMIT_NEGATIVE -1

int limit_check(int devices);

#endif  // LIMITS_H_
