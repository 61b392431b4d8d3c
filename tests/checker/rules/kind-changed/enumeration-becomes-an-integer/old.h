#ifndef EXAMPLE_ENUMERATION_BECOMES_AN_INTEGER_H_
#define EXAMPLE_ENUMERATION_BECOMES_AN_INTEGER_H_

#include <stddef.h>

typedef enum { LAMP_OFF, LAMP_ON } LampState;

typedef struct Lamp {
  size_t struct_size;
  LampState state;
} Lamp;

void lamp_set(Lamp* lamp, LampState state);

#endif  // EXAMPLE_ENUMERATION_BECOMES_AN_INTEGER_H_
