// The attribute of a transparent union moves to its typedef. Should not trigger.
#ifndef EXAMPLE_STILL_TRANSPARENT_H_
#define EXAMPLE_STILL_TRANSPARENT_H_

typedef union {
  int* number;
  char* text;
} Toy __attribute__((transparent_union));

void toy_take(Toy toy);

#endif  // EXAMPLE_STILL_TRANSPARENT_H_
