// A parameter says its length by what another points to, as `[*count]`. Should not trigger.
#ifndef EXAMPLE_LENGTH_BEHIND_A_POINTER_H_
#define EXAMPLE_LENGTH_BEHIND_A_POINTER_H_

#include <stddef.h>

void toy_fill(size_t* count, int numbers[]);
void toy_add(size_t* count, int numbers[static 1]);
void toy_sum(size_t count, int rows[*][3]);

#endif  // EXAMPLE_LENGTH_BEHIND_A_POINTER_H_
