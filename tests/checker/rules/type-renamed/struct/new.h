// The same members under another name: binaries do not care, source code does. Should trigger, once.
#ifndef GFX_H_
#define GFX_H_

#include <stddef.h>
#include <stdint.h>

typedef struct GfxTarget {
  size_t struct_size;
  void* native_handle;
  int32_t width;
  int32_t height;
} GfxTarget;

void gfx_present(GfxTarget* surface);

#endif  // GFX_H_
