// Structs of this prefix begin with two members; the third one has both, the last one has another prefix. Should trigger.
#ifndef EXAMPLE_BY_ITS_PREFIX_H_
#define EXAMPLE_BY_ITS_PREFIX_H_

#include <stddef.h>
#include <stdint.h>

#define LOCK_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct SP_Lock {
  size_t struct_size;
  int64_t turns;
} SP_Lock;

#define SP_LOCK_STRUCT_SIZE LOCK_END(SP_Lock, turns)

typedef struct SP_Door {
  size_t struct_size;
  int64_t width;
  void* ext;
} SP_Door;

#define SP_DOOR_STRUCT_SIZE LOCK_END(SP_Door, ext)

typedef struct SE_Params {
  size_t struct_size;
  void* ext;
  SP_Lock* lock;
} SE_Params;

#define SE_PARAMS_STRUCT_SIZE LOCK_END(SE_Params, lock)

typedef struct Hinge {
  size_t struct_size;
  int64_t angle;
} Hinge;

#define HINGE_STRUCT_SIZE LOCK_END(Hinge, angle)

#endif  // EXAMPLE_BY_ITS_PREFIX_H_
