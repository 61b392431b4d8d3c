// The new alternative is no larger than the largest. Should trigger as an addition.
#ifndef ATTR_H_
#define ATTR_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Attribute {
  size_t struct_size;
  int32_t type;
  union {
    int64_t i;
    double f;
    const char* s;
  } value;
} Attribute;

#endif  // ATTR_H_
