// A pointer stays a pointer, what it points to does not. Should trigger.
#ifndef IMAGE_VIEW_H_
#define IMAGE_VIEW_H_

#include <stddef.h>
#include <stdint.h>

typedef struct ImageView {
  size_t struct_size;
  const uint8_t* pixels;
  const int32_t* strides;
} ImageView;

#endif  // IMAGE_VIEW_H_
