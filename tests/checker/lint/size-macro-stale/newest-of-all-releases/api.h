// Each release has a size constant, and the newest one leaves out a member. Should trigger once.
#ifndef EXAMPLE_NEWEST_OF_ALL_RELEASES_H_
#define EXAMPLE_NEWEST_OF_ALL_RELEASES_H_

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
#define TOY_STRUCT_SIZE_1_1_0 (offsetof(Toy, first) + sizeof(void*))

void toy_use(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif
