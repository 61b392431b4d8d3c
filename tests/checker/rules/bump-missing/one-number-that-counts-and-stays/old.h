#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TOY_API_VERSION 12

typedef struct Toy {
  size_t struct_size;
  int a;
} Toy;
#define TOY_STRUCT_SIZE (offsetof(Toy, a) + sizeof(((Toy*)0)->a))

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
