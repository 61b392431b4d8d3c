// The new alternative is larger than all others, and the union stands inside a struct. Should trigger as a break.
#ifndef ATTR_H_
#define ATTR_H_

#include <stdint.h>

typedef union AttributeValue {
  int64_t i;
  double f;
} AttributeValue;

typedef struct Attribute {
  AttributeValue value;
  int32_t type;
} Attribute;

#endif  // ATTR_H_
