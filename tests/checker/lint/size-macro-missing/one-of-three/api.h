// Two structs have a constant and the third does not. Should trigger.
#ifndef KV_H_
#define KV_H_

#include <stddef.h>
#include <stdint.h>

#define KV_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct KvGet {
  size_t struct_size;
  const char* key;
} KvGet;
#define KV_GET_STRUCT_SIZE KV_END(KvGet, key)

typedef struct KvPut {
  size_t struct_size;
  const char* key;
  const char* value;
} KvPut;

typedef struct KvDelete {
  size_t struct_size;
  const char* key;
} KvDelete;
enum { KV_DELETE_STRUCT_SIZE = offsetof(KvDelete, key) + sizeof(const char*) };

#endif  // KV_H_
