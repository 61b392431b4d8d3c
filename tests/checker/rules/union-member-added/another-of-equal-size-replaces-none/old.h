// No alternative comes or goes; one is only spelled otherwise. Should not trigger.
#ifndef ATTR_H_
#define ATTR_H_

#include <stdint.h>

typedef union AttributeValue {
  int64_t i;
  double f;
  struct { int32_t low; int32_t high; } halves;
} AttributeValue;

#endif  // ATTR_H_
