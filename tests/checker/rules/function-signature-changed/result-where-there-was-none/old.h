// Whoever calls it in the old way ignores what it returns now; in the new way there is nothing to read.
#ifndef SET_H_
#define SET_H_

#include <stdint.h>

void set(int* values);
int* first(void);
void mean(double* values);

#endif  // SET_H_
