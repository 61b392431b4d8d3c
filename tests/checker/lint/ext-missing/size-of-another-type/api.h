// Near miss: the struct has a prefix of the usual kind, and begins with a size of another type than theirs. Should not
// trigger.
#ifndef EXAMPLE_SIZE_OF_ANOTHER_TYPE_H_
#define EXAMPLE_SIZE_OF_ANOTHER_TYPE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SP_Engine {
  uint32_t struct_size;
  uint32_t flags;
  void (*stop)(void);
} SP_Engine;

#define SP_ENGINE_STRUCT_SIZE (offsetof(SP_Engine, stop) + sizeof(((SP_Engine*)0)->stop))

void SE_Use(const SP_Engine* engine);

#ifdef __cplusplus
}
#endif

#endif
