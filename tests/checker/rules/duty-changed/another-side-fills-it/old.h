#ifndef EXAMPLE_ANOTHER_SIDE_FILLS_IT_H_
#define EXAMPLE_ANOTHER_SIDE_FILLS_IT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct LinkState {
  size_t struct_size;
  int32_t speed;    // In megabits. Set by plugin.
  int32_t retries;  // How often it was tried.
  int32_t errors;
} LinkState;

#endif  // EXAMPLE_ANOTHER_SIDE_FILLS_IT_H_
