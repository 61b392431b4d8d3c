// Three bytes side by side: packing them changes neither size, alignment nor offsets. Should not trigger.
#ifndef PIXEL_H_
#define PIXEL_H_

#include <stdint.h>

#pragma pack(push, 1)
typedef struct Pixel {
  uint8_t red;
  uint8_t green;
  uint8_t blue;
} Pixel;
#pragma pack(pop)

#endif  // PIXEL_H_
