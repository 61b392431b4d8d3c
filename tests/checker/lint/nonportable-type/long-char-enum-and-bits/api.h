// Types that the language leaves to the implementation. Should trigger for each, for the enumeration once.
#ifndef PORT_H_
#define PORT_H_

#include <stddef.h>
#include <stdint.h>

typedef enum PortMode { PORT_READ, PORT_WRITE } PortMode;

typedef struct PortState {
  long position;
  PortMode mode;
  unsigned open : 1;
  unsigned dirty : 1;
  char level;
  char name[16];
  const char* path;
} PortState;

#ifdef __cplusplus
extern "C" {
#endif

unsigned long port_seek(PortState* state, PortMode mode, long* position);
int32_t port_name(const wchar_t* name);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // PORT_H_
