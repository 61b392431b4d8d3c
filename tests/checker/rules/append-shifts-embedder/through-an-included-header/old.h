// The break arrives through the included header, by a struct that Path embeds. Should trigger at Path, which is this
// API's own.
#ifndef PATH_H_
#define PATH_H_

#include <stddef.h>

#include "geometry_1.h"

typedef struct Path {
  size_t struct_size;
  GeoPoint start;
  double length;
} Path;

#endif  // PATH_H_
