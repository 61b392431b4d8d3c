#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TOY_NOW 0x02000000  // 0xMMmmpppp
#define TOY_VERSION TOY_NOW

typedef struct Toy {
  size_t struct_size;
  int64_t a;
} Toy;
#define TOY_STRUCT_SIZE (offsetof(Toy, a) + sizeof(((Toy*)0)->a))

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
