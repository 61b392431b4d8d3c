// A handle to an opaque struct becomes a pointer to what is const. Should trigger, at MAJOR.
#ifndef EXAMPLE_HANDLE_BECOMES_CONST_VOID_H_
#define EXAMPLE_HANDLE_BECOMES_CONST_VOID_H_

#include <stddef.h>
#include <stdint.h>

typedef const void* Window;
typedef struct Screen Screen;

typedef struct Frame {
  size_t struct_size;
  Window window;
  Screen* screen;
} Frame;

#define FRAME_STRUCT_SIZE (offsetof(Frame, screen) + sizeof(((Frame*)0)->screen))

Window window_open(Screen* screen);

#endif  // EXAMPLE_HANDLE_BECOMES_CONST_VOID_H_
