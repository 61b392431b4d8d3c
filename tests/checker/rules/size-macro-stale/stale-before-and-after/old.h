// It has been stale for years, and this change touches neither it nor its struct: lint's business, not diff's.
#ifndef TP_PLATFORM_H_
#define TP_PLATFORM_H_

#include <stddef.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_PlatformFns {
  size_t struct_size;
  void* ext;
  void (*create_device)(void* params);
  void (*destroy_device)(void* device);
} SP_PlatformFns;

#define SP_PLATFORM_FNS_STRUCT_SIZE TP_OFFSET_OF_END(SP_PlatformFns, create_device)

typedef struct SP_TimerFns {
  size_t struct_size;
  void* ext;
} SP_TimerFns;

#define SP_TIMER_FNS_STRUCT_SIZE TP_OFFSET_OF_END(SP_TimerFns, ext)

#endif  // TP_PLATFORM_H_
