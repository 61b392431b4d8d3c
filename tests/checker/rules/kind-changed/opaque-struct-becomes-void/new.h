// An opaque struct that is only pointed to becomes void. Should trigger, at MINOR.
#ifndef EXAMPLE_OPAQUE_STRUCT_BECOMES_VOID_H_
#define EXAMPLE_OPAQUE_STRUCT_BECOMES_VOID_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Window_st* Window;
typedef void Screen;

typedef struct Frame {
  size_t struct_size;
  Window window;
  Screen* screen;
} Frame;

#define FRAME_STRUCT_SIZE (offsetof(Frame, screen) + sizeof(((Frame*)0)->screen))

Window window_open(Screen* screen);

#endif  // EXAMPLE_OPAQUE_STRUCT_BECOMES_VOID_H_
