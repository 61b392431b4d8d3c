// A macro that lives only within the header. Should not trigger.
#ifndef TABLE_H_
#define TABLE_H_

#include <stddef.h>

typedef struct TableFns {
  size_t struct_size;
  void (*open)(void* table);
  void (*close)(void* table);
} TableFns;

#endif  // TABLE_H_
