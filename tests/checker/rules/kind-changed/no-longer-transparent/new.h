// A union no longer stands for arguments of its members' types. Should trigger.
#ifndef EXAMPLE_NO_LONGER_TRANSPARENT_H_
#define EXAMPLE_NO_LONGER_TRANSPARENT_H_

typedef union {
  int* number;
  char* text;
} Toy;

void toy_take(Toy toy);

#endif  // EXAMPLE_NO_LONGER_TRANSPARENT_H_
