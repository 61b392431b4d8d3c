// A struct that stands inside another one loses its tag.
#ifndef SHAPE_H_
#define SHAPE_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Shape {
  size_t struct_size;
  struct Corner {
    int32_t x;
    int32_t y;
  } first;
} Shape;

#endif  // SHAPE_H_
