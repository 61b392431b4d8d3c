// The members are grouped in an anonymous struct: same names, same bytes. Should not trigger.
#ifndef WINDOW_API_H_
#define WINDOW_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct WindowEvent {
  size_t struct_size;
  int64_t time_ns;
  int32_t x;
  int32_t y;
} WindowEvent;

#endif  // WINDOW_API_H_
