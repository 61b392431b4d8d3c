// Near miss: beside the size constant of the struct there are those of the releases before. Should not trigger.
#ifndef EXAMPLE_OF_EARLIER_RELEASES_H_
#define EXAMPLE_OF_EARLIER_RELEASES_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Toy {
  size_t struct_size;
  void* first;
  void* second;
} Toy;

#define TOY_STRUCT_SIZE_1_0_0 (offsetof(Toy, first) + sizeof(((Toy*)0)->first))
#define TOY_STRUCT_SIZE_1_1_0 (offsetof(Toy, second) + sizeof(((Toy*)0)->second))
#define TOY_STRUCT_SIZE (offsetof(Toy, second) + sizeof(((Toy*)0)->second))

void toy_use(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif
