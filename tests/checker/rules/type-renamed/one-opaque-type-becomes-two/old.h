#ifndef EXAMPLE_ONE_OPAQUE_TYPE_BECOMES_TWO_H_
#define EXAMPLE_ONE_OPAQUE_TYPE_BECOMES_TWO_H_

typedef struct GridCell GridCell;

GridCell* grid_first(void);
GridCell* grid_last(void);

#endif  // EXAMPLE_ONE_OPAQUE_TYPE_BECOMES_TWO_H_
