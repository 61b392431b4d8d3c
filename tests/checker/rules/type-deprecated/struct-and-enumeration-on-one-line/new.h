// The comment above a type that fits on one line is the type's, not that of each member. Should trigger once per type.
#ifndef EXAMPLE_STRUCT_AND_ENUMERATION_ON_ONE_LINE_H_
#define EXAMPLE_STRUCT_AND_ENUMERATION_ON_ONE_LINE_H_

#include <stdint.h>

// A point on the screen. Deprecated. Use DrawMode.
typedef struct DrawPoint { int32_t x; int32_t y; } DrawPoint;

// DrawMode will be deprecated soon.
typedef enum DrawMode { DRAW_COPY, DRAW_XOR } DrawMode;

#endif  // EXAMPLE_STRUCT_AND_ENUMERATION_ON_ONE_LINE_H_
