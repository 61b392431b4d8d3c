// Who fills a member, and who has to read it, is part of what it means. Should trigger, for review.
#ifndef EXAMPLE_ANOTHER_SIDE_FILLS_IT_H_
#define EXAMPLE_ANOTHER_SIDE_FILLS_IT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct LinkState {
  size_t struct_size;
  int32_t speed;    // In megabits. Set by core.
  int32_t retries;  // How often it was tried. Consumers must read this.
  int32_t errors;
} LinkState;

#endif  // EXAMPLE_ANOTHER_SIDE_FILLS_IT_H_
