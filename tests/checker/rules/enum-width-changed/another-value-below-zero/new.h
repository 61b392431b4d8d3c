// Where there was one already, the type stays. Should not trigger.
#ifndef EXAMPLE_ANOTHER_VALUE_BELOW_ZERO_H_
#define EXAMPLE_ANOTHER_VALUE_BELOW_ZERO_H_

typedef enum LoadResult { LOAD_LOST = -1, LOAD_DONE, LOAD_BUSY = -2 } LoadResult;

LoadResult load_run(void);

#endif  // EXAMPLE_ANOTHER_VALUE_BELOW_ZERO_H_
