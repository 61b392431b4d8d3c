// The same with a smaller integer, and with a tag. Should trigger once, not as a rename as well.
#ifndef EXAMPLE_ENUMERATION_BECOMES_A_BYTE_H_
#define EXAMPLE_ENUMERATION_BECOMES_A_BYTE_H_

#include <stddef.h>
#include <stdint.h>

typedef uint8_t DoorState;
enum { DOOR_SHUT, DOOR_OPEN };

typedef struct Door {
  size_t struct_size;
  DoorState state;
  char letter;
} Door;

#endif  // EXAMPLE_ENUMERATION_BECOMES_A_BYTE_H_
