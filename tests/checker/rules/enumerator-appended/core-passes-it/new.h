// The core fills the struct and an older plugin reads it: the older plugin is the one at risk.
#ifndef TP_HINT_H_
#define TP_HINT_H_

#include <stddef.h>

typedef enum SE_Hint {
  SE_HINT_NONE,
  SE_HINT_LATENCY,
  SE_HINT_THROUGHPUT
} SE_Hint;

typedef struct SE_RunParams {
  size_t struct_size;
  void* ext;
  SE_Hint hint;
} SE_RunParams;

#endif  // TP_HINT_H_
