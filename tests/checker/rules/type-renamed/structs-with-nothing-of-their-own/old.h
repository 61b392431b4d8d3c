// One struct goes and two come, one of which has the same members, although they are those that all structs have.
#ifndef PLUG_H_
#define PLUG_H_

#include <stddef.h>
#include <stdint.h>


typedef struct PLUG_Open {
  size_t struct_size;
  void* ext;
  const char* path;
} PLUG_Open;

typedef struct PLUG_Close {
  size_t struct_size;
  void* ext;
} PLUG_Close;

#endif  // PLUG_H_
