// All other structs begin with `uint32_t struct_size`. Should trigger, and advise the same declaration.
#ifndef SOLVER_SIZES_H_
#define SOLVER_SIZES_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SolverGrid {
  uint32_t struct_size;
  int32_t rows;
} SolverGrid;

typedef struct SolverRule {
  uint32_t struct_size;
  int32_t weight;
} SolverRule;

typedef struct SolverStep {
  int32_t length;
} SolverStep;

#ifdef __cplusplus
extern "C" {
#endif

void solver_use(const SolverGrid* grid, const SolverRule* rule, const SolverStep* step);

#ifdef __cplusplus
}
#endif

#endif  // SOLVER_SIZES_H_
