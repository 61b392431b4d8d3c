#ifndef EXAMPLE_MARK_MOVES_TO_THE_DEFINITION_H_
#define EXAMPLE_MARK_MOVES_TO_THE_DEFINITION_H_

#include <stdint.h>

typedef struct PlotPoint PlotPoint;  // Deprecated.
struct PlotPoint {
  int32_t x;
};

#endif  // EXAMPLE_MARK_MOVES_TO_THE_DEFINITION_H_
