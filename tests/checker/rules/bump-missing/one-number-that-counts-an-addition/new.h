#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TOY_API_VERSION 13

typedef struct Toy {
  size_t struct_size;
  int a;
  int b;  // 0 is no-op.
} Toy;
#define TOY_STRUCT_SIZE (offsetof(Toy, b) + sizeof(((Toy*)0)->b))

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
