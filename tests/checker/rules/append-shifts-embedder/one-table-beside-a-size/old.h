#ifndef EXAMPLE_ONE_TABLE_BESIDE_A_SIZE_H_
#define EXAMPLE_ONE_TABLE_BESIDE_A_SIZE_H_

#include <stddef.h>
#include <stdint.h>

#define KEY_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct KeyTable {
  size_t struct_size;
  void (*press)(int32_t key);
} KeyTable;

#define KEY_TABLE_STRUCT_SIZE KEY_END(KeyTable, press)

void key_register(const KeyTable* key_table, const char* name, size_t length);

#endif  // EXAMPLE_ONE_TABLE_BESIDE_A_SIZE_H_
