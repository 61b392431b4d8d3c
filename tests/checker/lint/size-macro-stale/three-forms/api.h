// A macro, an enumerator and a helper's enumerator that stop too early, the last one within tail padding. Should trigger
// for each.
#ifndef ST_H_
#define ST_H_

#include <stddef.h>
#include <stdint.h>

#define ST_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))
#define ST_TRAITS(sname, last) \
  typedef struct sname sname;  \
  enum { sname##_STRUCT_SIZE = ST_END(sname, last) }

typedef struct ST_Open {
  size_t struct_size;
  const char* path;
  void (*done)(void* user);
  void* user;
} ST_Open;
#define ST_Open_STRUCT_SIZE ST_END(ST_Open, path)

typedef struct ST_Close {
  size_t struct_size;
  void* file;
  int64_t timeout_ns;
} ST_Close;
enum { ST_Close_STRUCT_SIZE = offsetof(ST_Close, file) + sizeof(void*) };

struct ST_Read {
  size_t struct_size;
  int32_t count;
  int32_t flags;
};
ST_TRAITS(ST_Read, count);

#endif  // ST_H_
