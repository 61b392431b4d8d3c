// This header has no such constants at all. Should not trigger.
#ifndef KV_H_
#define KV_H_

#include <stddef.h>

typedef struct KvGet {
  size_t struct_size;
  const char* key;
} KvGet;

typedef struct KvPut {
  size_t struct_size;
  const char* key;
  const char* value;
} KvPut;

#endif  // KV_H_
