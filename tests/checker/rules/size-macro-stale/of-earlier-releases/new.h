// Near miss: constants of earlier releases stay as they are when the struct grows. Should not trigger.
#ifndef EXAMPLE_OF_EARLIER_RELEASES_H_
#define EXAMPLE_OF_EARLIER_RELEASES_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TOY_MAJOR 1
#define TOY_MINOR 1
#define TOY_PATCH 0
#define TOY_END(member) (offsetof(Toy, member) + sizeof(((Toy*)0)->member))

typedef struct Toy {
  size_t struct_size;
  void* first;
  void* second;  // NULL is no-op.
} Toy;

#define TOY_STRUCT_SIZE_1_0_0 TOY_END(first)
#define TOY_STRUCT_SIZE_1_1_0 TOY_END(second)
#define TOY_STRUCT_SIZE TOY_END(second)

void toy_use(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif
