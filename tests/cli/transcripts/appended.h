#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#include <stdint.h>

#define TOY_MAJOR 1
#define TOY_MINOR 0
#define TOY_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#define TOY_END(T, m) (offsetof(T, m) + sizeof(((T *)0)->m))

typedef struct SP_Toy {
  size_t struct_size;
  void* ext;
  int32_t ordinal;  // Index of the toy.
  void (*play)(struct SP_Toy* toy, int32_t speed);
  int64_t depth;  // 0 is no-op.
} SP_Toy;
#define SP_TOY_STRUCT_SIZE TOY_END(SP_Toy, depth)

void SE_UseToy(SP_Toy* toy);

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
