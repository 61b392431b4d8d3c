// The tags of a struct and of an enumeration change under their typedefs. Should trigger.
#ifndef EXAMPLE_OTHER_TAG_H_
#define EXAMPLE_OTHER_TAG_H_

#include <stddef.h>
#include <stdint.h>

typedef struct toy_old {
  int weight;
} Toy;

typedef enum mode_old { MODE_A, MODE_B } Mode;

int toy_weigh(const Toy* toy, Mode mode);

#endif  // EXAMPLE_OTHER_TAG_H_
