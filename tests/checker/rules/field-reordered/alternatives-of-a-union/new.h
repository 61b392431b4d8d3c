// All alternatives of a union stand at offset 0, in whatever order. Should not trigger.
#ifndef VARIANT_H_
#define VARIANT_H_

#include <stdint.h>

typedef union VariantValue {
  const char* s;
  int64_t i;
  double d;
} VariantValue;

typedef struct Variant {
  int32_t type;
  VariantValue value;
} Variant;

#endif  // VARIANT_H_
