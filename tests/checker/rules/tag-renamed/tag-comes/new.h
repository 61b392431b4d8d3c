// A struct without a tag gets one. Should not trigger.
#ifndef EXAMPLE_TAG_COMES_H_
#define EXAMPLE_TAG_COMES_H_

#include <stddef.h>
#include <stdint.h>

typedef struct toy_old {
  int weight;
} Toy;

typedef enum mode_old { MODE_A, MODE_B } Mode;

int toy_weigh(const Toy* toy, Mode mode);

#endif  // EXAMPLE_TAG_COMES_H_
