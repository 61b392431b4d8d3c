// The last member by offset, by an array, by sizeof, before a flexible array. Should not trigger.
#ifndef ST_H_
#define ST_H_

#include <stddef.h>
#include <stdint.h>

#define ST_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct ST_Open {
  size_t struct_size;
  const char* path;
  int32_t flags;
} ST_Open;
#define ST_OPEN_STRUCT_SIZE ST_END(ST_Open, flags)

typedef struct ST_Close {
  size_t struct_size;
  int32_t codes[3];
} ST_Close;
enum { ST_CLOSE_STRUCT_SIZE = offsetof(ST_Close, codes) + 3 * sizeof(int32_t) };

typedef struct ST_Read {
  size_t struct_size;
  int32_t count;
} ST_Read;
#define ST_READ_STRUCT_SIZE sizeof(ST_Read)

typedef struct ST_Message {
  size_t struct_size;
  uint64_t length;
  uint8_t bytes[];
} ST_Message;
#define ST_MESSAGE_STRUCT_SIZE ST_END(ST_Message, length)

#endif  // ST_H_
