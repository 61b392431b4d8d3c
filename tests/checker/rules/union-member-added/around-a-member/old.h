// A member becomes one of two alternatives of an anonymous union.
#ifndef CELL_H_
#define CELL_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Cell {
  size_t struct_size;
  int64_t number;
  int32_t row;
} Cell;

#endif  // CELL_H_
