#ifndef EXAMPLE_ENUMERATION_BECOMES_A_BYTE_H_
#define EXAMPLE_ENUMERATION_BECOMES_A_BYTE_H_

#include <stddef.h>

typedef enum DoorState { DOOR_SHUT, DOOR_OPEN } DoorState;

typedef struct Door {
  size_t struct_size;
  DoorState state;
  char letter;
} Door;

#endif  // EXAMPLE_ENUMERATION_BECOMES_A_BYTE_H_
