// A member goes from the middle and one of the same type comes at the end: not a rename.
#ifndef TABLE_H_
#define TABLE_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Table {
  size_t struct_size;
  void* (*open)(const char* path);
  void (*close)(void* handle);
  void* (*copy)(const char* path);
} Table;

#define TABLE_STRUCT_SIZE (offsetof(Table, copy) + sizeof(((Table*)0)->copy))

#endif  // TABLE_H_
