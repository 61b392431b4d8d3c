// The replacements are a member beside it, a member of another struct, and a function. Should not trigger.
#ifndef DANGLE_H_
#define DANGLE_H_

#include <stddef.h>

typedef struct DangleFns {
  size_t struct_size;
  void (*create)(void* device);         // Deprecated. Use `create_better`.
  void (*create_better)(void* device);  // Replaces `create`. NULL is no-op.
  void (*destroy)(void* device);        // Deprecated. Use `DangleOther.destroy`.
} DangleFns;

typedef struct DangleOther {
  size_t struct_size;
  void (*destroy)(void* device);
} DangleOther;

#ifdef __cplusplus
extern "C" {
#endif

// Deprecated. Use dangle_open2() instead.
int dangle_open(const char* path);
int dangle_open2(const char* path, int flags);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // DANGLE_H_
