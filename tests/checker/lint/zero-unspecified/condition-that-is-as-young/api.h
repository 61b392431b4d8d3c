// Whoever does not know scan_end does not know scan, and leaves both zero. Should not trigger.
#ifndef CONDITION_YOUNG_H_
#define CONDITION_YOUNG_H_

#include <stddef.h>

typedef struct SolverFns {
  size_t struct_size;
  int (*run)(void);
  int (*scan)(void);       // Optional. NULL is no-op. Since 2.1.0.
  void (*scan_end)(void);  // Required when `scan` is set. Since 2.1.0.
} SolverFns;

#endif  // CONDITION_YOUNG_H_
