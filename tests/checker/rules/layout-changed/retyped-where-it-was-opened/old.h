// A struct without a name becomes a union, and one of its members gets another type of the same alignment. Should trigger.
#ifndef EXAMPLE_RETYPED_WHERE_IT_WAS_OPENED_H_
#define EXAMPLE_RETYPED_WHERE_IT_WAS_OPENED_H_

#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t struct_size;
  struct {
    char flag;
    char text[2];
  };
  int (*run)(void);
} Toy;

#endif  // EXAMPLE_RETYPED_WHERE_IT_WAS_OPENED_H_
