// The stride of the array grows. Should trigger, although the array's type is spelled by a typedef of a typedef.
#ifndef SCREEN_H_
#define SCREEN_H_

#include <stddef.h>
#include <stdint.h>

#define SCREEN_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct ScreenMode {
  size_t struct_size;
  int32_t width;
  int32_t height;
  int64_t refresh_rate;  // 0 is no-op.
} ScreenMode;

#define SCREEN_MODE_STRUCT_SIZE SCREEN_END(ScreenMode, refresh_rate)

typedef ScreenMode DisplayMode;

typedef struct ScreenInfo {
  size_t struct_size;
  DisplayMode modes[4];
  int64_t serial;
} ScreenInfo;

#define SCREEN_INFO_STRUCT_SIZE SCREEN_END(ScreenInfo, serial)

#endif  // SCREEN_H_
