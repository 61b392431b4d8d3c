// A plugin may set scan and not know scan_end, or ask for scan_end unless something is set. Should trigger.
#ifndef CONDITION_OLDER_H_
#define CONDITION_OLDER_H_

#include <stddef.h>

typedef struct SolverFns {
  size_t struct_size;
  int (*scan)(void);       // Optional. NULL is no-op.
  void (*scan_end)(void);  // Required when `scan` is set. Since 2.1.0.
  void (*skip)(void);      // Required unless `scan_end` is set. Since 2.1.0.
  void (*stop)(void);      // Required when `none` is set. Since 2.1.0.
} SolverFns;

#endif  // CONDITION_OLDER_H_
