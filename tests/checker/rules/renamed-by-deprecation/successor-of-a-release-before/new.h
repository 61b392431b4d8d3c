// "Eventually" deprecated: the new member came first, and said what it replaces. Should trigger.
#ifndef EXAMPLE_SUCCESSOR_OF_A_RELEASE_BEFORE_H_
#define EXAMPLE_SUCCESSOR_OF_A_RELEASE_BEFORE_H_

#include <stddef.h>
#include <stdint.h>

#define SKY_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct SkyStar {
  size_t struct_size;
  const char* name;         // Its name. Deprecated. Use `better_name`.
  const char* better_name;  // Replaces `name`.
  int32_t color;            // Its color. Deprecated. Use hue.
  int32_t hue;              // The same in degrees.
} SkyStar;

#define SKY_STAR_STRUCT_SIZE SKY_END(SkyStar, hue)

#endif  // EXAMPLE_SUCCESSOR_OF_A_RELEASE_BEFORE_H_
