// A member in the middle moves two others. Should trigger, once.
#ifndef TOY_H_
#define TOY_H_

#include <stddef.h>
#include <stdint.h>

#define TOY_MAJOR 1
#define TOY_MINOR 1
#define TOY_PATCH 0

#define TOY_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))

typedef struct Toy {
  size_t struct_size;
  void* ext;
  int32_t old_field;   // Device index.
  void* new_field1;    // NULL is no-op.
  int32_t new_field2;  // 0 is no-op.
} Toy;

#define TOY_STRUCT_SIZE TOY_OFFSET_OF_END(Toy, new_field2)

#endif  // TOY_H_
