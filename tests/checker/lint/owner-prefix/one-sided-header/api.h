// Only one of the prefixes occurs, by chance: no convention. Should not trigger.
#ifndef OWN_H_
#define OWN_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SP_Point {
  double x;
  double y;
} SP_Point;

typedef struct Shape {
  const SP_Point* points;
  size_t count;
} Shape;

#endif  // OWN_H_
