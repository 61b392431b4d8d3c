// Three bytes side by side: packing them changes neither size, alignment nor offsets. Should not trigger.
#ifndef PIXEL_H_
#define PIXEL_H_

#include <stdint.h>

typedef struct Pixel {
  uint8_t red;
  uint8_t green;
  uint8_t blue;
} Pixel;

#endif  // PIXEL_H_
