#ifndef EXAMPLE_STRUCT_AND_ENUMERATION_ON_ONE_LINE_H_
#define EXAMPLE_STRUCT_AND_ENUMERATION_ON_ONE_LINE_H_

#include <stdint.h>

// A point on the screen.
typedef struct DrawPoint { int32_t x; int32_t y; } DrawPoint;

// What a pen does.
typedef enum DrawMode { DRAW_COPY, DRAW_XOR } DrawMode;

#endif  // EXAMPLE_STRUCT_AND_ENUMERATION_ON_ONE_LINE_H_
