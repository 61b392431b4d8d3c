#ifndef FLAWED_H_
#define FLAWED_H_
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLAWED_END(T, m) (offsetof(T, m) + sizeof(((T *)0)->m))

typedef struct SP_Flawed {
  size_t struct_size;
  int32_t count;
  void* items;
  int64_t added;  // 0 is no-op. Deprecated. Use nothing_like_it.
} SP_Flawed;
#define SP_FLAWED_STRUCT_SIZE FLAWED_END(SP_Flawed, items)

#ifdef __cplusplus
}
#endif
#endif  // FLAWED_H_
