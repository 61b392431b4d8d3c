// Extensions themselves, and structs that begin with one, need no pointer to extensions. Should not trigger.
#ifndef EXT_API_H_
#define EXT_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct EX_Extension_Base {
  size_t struct_size;
  int64_t type;
  struct EX_Extension_Base* next;
} EX_Extension_Base;

typedef struct EX_Open_Args {
  size_t struct_size;
  EX_Extension_Base* extension_start;
  const char* path;
} EX_Open_Args;

typedef struct EX_Read_Args {
  size_t struct_size;
  EX_Extension_Base* extension_start;
  void* buffer;
} EX_Read_Args;

typedef struct EX_Close_Args {
  size_t struct_size;
  EX_Extension_Base* extension_start;
  void* file;
} EX_Close_Args;

typedef struct EX_Metadata_Extension {
  EX_Extension_Base base;
  void* metadata;
} EX_Metadata_Extension;

#endif  // EXT_API_H_
