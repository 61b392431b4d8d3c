// A macro that lives only within the header. Should not trigger.
#ifndef TABLE_H_
#define TABLE_H_

#include <stddef.h>

#define TABLE_FN(name) void (*name)(void* table)

typedef struct TableFns {
  size_t struct_size;
  TABLE_FN(open);
  TABLE_FN(close);
} TableFns;

#undef TABLE_FN

#endif  // TABLE_H_
