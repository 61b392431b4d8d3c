// A wide member becomes a narrow one and leaves its other half to a new one.
#ifndef COL_H_
#define COL_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Column {
  size_t struct_size;
  const void* data;
  uint32_t size;
  uint32_t begin;
} Column;

#define COLUMN_STRUCT_SIZE (offsetof(Column, begin) + sizeof(((Column*)0)->begin))

#endif  // COL_H_
