// Rows of an array whose length only the call knows get another length. Should trigger.
#ifndef EXAMPLE_ROWS_BEHIND_A_POINTER_H_
#define EXAMPLE_ROWS_BEHIND_A_POINTER_H_

#include <stddef.h>

void toy_sum(size_t* count, int rows[*count][4]);

#endif  // EXAMPLE_ROWS_BEHIND_A_POINTER_H_
