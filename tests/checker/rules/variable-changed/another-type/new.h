// The object is read with another width. Should trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

#include <stdint.h>

extern int64_t global_counter;

#endif  // GLOBAL_H_
