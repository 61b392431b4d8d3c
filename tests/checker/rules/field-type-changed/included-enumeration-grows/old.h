// An enumeration of an included header takes more bytes.
#ifndef PAINT_H_
#define PAINT_H_

#include <stddef.h>

#include "colour_1.h"

typedef struct Brush {
  size_t struct_size;
  Colour colour;
  int width;
} Brush;

void paint(const Brush* brush);

#endif  // PAINT_H_
