// Pointers have the same width on all 64-bit targets; that 32-bit ones differ is no flaw. Should not trigger.
#ifndef DIFF_H_
#define DIFF_H_

#include <stdint.h>

typedef struct DiffRecord {
  int64_t offset;
  const char* name;
  int32_t kind;
  int32_t length;
} DiffRecord;

#endif  // DIFF_H_
