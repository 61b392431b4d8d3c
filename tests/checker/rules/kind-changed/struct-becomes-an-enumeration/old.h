#ifndef EXAMPLE_STRUCT_BECOMES_AN_ENUMERATION_H_
#define EXAMPLE_STRUCT_BECOMES_AN_ENUMERATION_H_

#include <stdint.h>

typedef struct CargoKind {
  int32_t code;
} CargoKind;

void cargo_load(CargoKind kind);

#endif  // EXAMPLE_STRUCT_BECOMES_AN_ENUMERATION_H_
