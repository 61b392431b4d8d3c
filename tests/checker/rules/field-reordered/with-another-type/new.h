// The member that moved has another type as well: two findings, and what it moved stands at one of them. Should trigger.
#ifndef EXAMPLE_WITH_ANOTHER_TYPE_H_
#define EXAMPLE_WITH_ANOTHER_TYPE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct MapTile {
  size_t struct_size;
  int32_t column;
  int64_t row;
  double zoom;
} MapTile;

#endif  // EXAMPLE_WITH_ANOTHER_TYPE_H_
