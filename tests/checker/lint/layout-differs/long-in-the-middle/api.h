// On Windows `long` is half as wide, and what stands behind it moves. Should trigger.
#ifndef DIFF_H_
#define DIFF_H_

#include <stdint.h>

typedef struct DiffRecord {
  int32_t kind;
  long offset;
  int32_t length;
} DiffRecord;

#endif  // DIFF_H_
