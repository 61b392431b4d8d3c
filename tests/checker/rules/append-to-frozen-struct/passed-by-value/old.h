// It has a struct_size, but it travels by value: each side copies as many bytes as its own header says. Should trigger.
#ifndef COLOR_H_
#define COLOR_H_

#include <stddef.h>
#include <stdint.h>

#define COLOR_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct ColorProfile {
  size_t struct_size;
  double gamma;
} ColorProfile;

#define COLOR_PROFILE_STRUCT_SIZE COLOR_END(ColorProfile, gamma)

int32_t color_apply(ColorProfile profile, uint8_t* pixels, size_t count);

#endif  // COLOR_H_
