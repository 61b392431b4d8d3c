// The name stays for an integer of the same size, and the enumeration had no tag. Should trigger, and cost nothing.
#ifndef EXAMPLE_ENUMERATION_BECOMES_AN_INTEGER_H_
#define EXAMPLE_ENUMERATION_BECOMES_AN_INTEGER_H_

#include <stddef.h>
#include <stdint.h>

typedef uint32_t LampState;
enum { LAMP_OFF, LAMP_ON };

typedef struct Lamp {
  size_t struct_size;
  LampState state;
} Lamp;

void lamp_set(Lamp* lamp, LampState state);

#endif  // EXAMPLE_ENUMERATION_BECOMES_AN_INTEGER_H_
