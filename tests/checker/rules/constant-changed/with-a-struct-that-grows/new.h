// A number that is made of the size of a struct; the struct may grow, the number may not move. Should trigger.
#ifndef EXAMPLE_WITH_A_STRUCT_THAT_GROWS_H_
#define EXAMPLE_WITH_A_STRUCT_THAT_GROWS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Toy {
  size_t struct_size;
  void* first;
  void* second;  // NULL is no-op.
} Toy;

#define TOY_GET (0x1000 + sizeof(Toy))
void toy_use(const Toy* toy);

#ifdef __cplusplus
}
#endif

#endif
