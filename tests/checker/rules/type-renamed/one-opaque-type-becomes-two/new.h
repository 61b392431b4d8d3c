// Some uses of the old type became one, some another: no rename. Should not trigger.
#ifndef EXAMPLE_ONE_OPAQUE_TYPE_BECOMES_TWO_H_
#define EXAMPLE_ONE_OPAQUE_TYPE_BECOMES_TWO_H_

typedef struct GridHead GridHead;
typedef struct GridTail GridTail;

GridHead* grid_first(void);
GridTail* grid_last(void);

#endif  // EXAMPLE_ONE_OPAQUE_TYPE_BECOMES_TWO_H_
