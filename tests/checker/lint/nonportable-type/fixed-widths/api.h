// The same with widths that are the same everywhere. Should not trigger.
#ifndef PORT_H_
#define PORT_H_

#include <stddef.h>
#include <stdint.h>

enum { PORT_READ, PORT_WRITE };
typedef uint32_t PortMode;

typedef struct PortState {
  int64_t position;
  PortMode mode;
  uint32_t flags;
  size_t size;
  intptr_t key;
  double weight;
  char name[16];
  const char* path;
} PortState;

#ifdef __cplusplus
extern "C" {
#endif

uint64_t port_seek(PortState* state, PortMode mode, int64_t* position);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // PORT_H_
