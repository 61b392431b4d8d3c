// A wide member becomes a narrow one and leaves its other half to a new one.
#ifndef COL_H_
#define COL_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Column {
  size_t struct_size;
  const void* data;
  uint64_t size;
} Column;

#define COLUMN_STRUCT_SIZE (offsetof(Column, size) + sizeof(((Column*)0)->size))

#endif  // COL_H_
