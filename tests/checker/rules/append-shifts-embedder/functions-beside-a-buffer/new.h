// A struct whose name is a plural is one struct under another plural, too: `size` is the buffer's. Should not trigger.
#ifndef EXAMPLE_FUNCTIONS_BESIDE_A_BUFFER_H_
#define EXAMPLE_FUNCTIONS_BESIDE_A_BUFFER_H_

#include <stddef.h>

#define WIRE_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct WireFns {
  size_t struct_size;
  void (*send)(void);
  void (*flush)(void);  // NULL is no-op.
} WireFns;

#define WIRE_FNS_STRUCT_SIZE WIRE_END(WireFns, flush)

void wire_open(const WireFns* callbacks, const void* buffer, size_t size);

#endif  // EXAMPLE_FUNCTIONS_BESIDE_A_BUFFER_H_
