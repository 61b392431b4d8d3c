// The first enumerator below zero comes. Should trigger.
#ifndef EXAMPLE_FIRST_BELOW_ZERO_H_
#define EXAMPLE_FIRST_BELOW_ZERO_H_

#include <stddef.h>
#include <stdint.h>

typedef enum Mode { MODE_A, MODE_B } Mode;

void mode_set(Mode mode);

#endif  // EXAMPLE_FIRST_BELOW_ZERO_H_
