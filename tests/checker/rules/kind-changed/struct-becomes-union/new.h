// What stood side by side now overlaps. Should trigger.
#ifndef NUMBER_H_
#define NUMBER_H_

#include <stdint.h>

typedef union Number {
  int64_t integer;
  double real;
} Number;

#endif  // NUMBER_H_
