// All alternatives of a union stand at offset 0, in whatever order. Should not trigger.
#ifndef VARIANT_H_
#define VARIANT_H_

#include <stdint.h>

typedef union VariantValue {
  int64_t i;
  double d;
  const char* s;
} VariantValue;

typedef struct Variant {
  int32_t type;
  VariantValue value;
} Variant;

#endif  // VARIANT_H_
