// Two structs carry their size and a third does not. Should trigger for the third; parts of others need no size.
#ifndef GFX_API_H_
#define GFX_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct GfxColor {
  float red;
  float green;
  float blue;
  float alpha;
} GfxColor;

typedef struct GfxSurface {
  size_t struct_size;
  void* native_handle;
  GfxColor background;
} GfxSurface;

typedef struct GfxFence {
  size_t struct_size;
  uint64_t value;
} GfxFence;

typedef struct GfxRegion {
  int32_t x;
  int32_t y;
} GfxRegion;

#ifdef __cplusplus
extern "C" {
#endif

void gfx_clear(GfxSurface* surface, const GfxRegion* region, GfxFence* fence);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GFX_API_H_
