// Another enumerator below zero comes. Should not trigger.
#ifndef EXAMPLE_SECOND_BELOW_ZERO_H_
#define EXAMPLE_SECOND_BELOW_ZERO_H_

#include <stddef.h>
#include <stdint.h>

typedef enum Mode { MODE_A, MODE_B = -1, MODE_C = -2 } Mode;

void mode_set(Mode mode);

#endif  // EXAMPLE_SECOND_BELOW_ZERO_H_
