#ifndef EXAMPLE_WITH_ANOTHER_TYPE_H_
#define EXAMPLE_WITH_ANOTHER_TYPE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct MapTile {
  size_t struct_size;
  int32_t zoom;
  int32_t column;
  int64_t row;
} MapTile;

#endif  // EXAMPLE_WITH_ANOTHER_TYPE_H_
