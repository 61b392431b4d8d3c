// Code that reads the member into a `char*` no longer compiles. Should trigger.
#ifndef TP_PLATFORM_H_
#define TP_PLATFORM_H_

#include <stddef.h>

typedef struct SP_Platform {
  size_t struct_size;
  void* ext;
  const char* name;
} SP_Platform;

#endif  // TP_PLATFORM_H_
