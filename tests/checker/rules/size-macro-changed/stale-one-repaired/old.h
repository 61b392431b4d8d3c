// The constant stopped at the wrong member for years; the struct does not change. Should trigger.
#ifndef TP_PLATFORM_H_
#define TP_PLATFORM_H_

#include <stddef.h>

#define TP_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct SP_PlatformFns {
  size_t struct_size;
  void* ext;
  void (*create_device)(void* params);
  void (*destroy_device)(void* device);
  void (*create_allocator)(void* params);
} SP_PlatformFns;

#define SP_PLATFORM_FNS_STRUCT_SIZE TP_OFFSET_OF_END(SP_PlatformFns, destroy_device)

#endif  // TP_PLATFORM_H_
