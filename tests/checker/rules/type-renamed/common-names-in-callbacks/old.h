// Two structs whose members are those of all others get other names; callbacks take them. Should trigger twice.
#ifndef EXAMPLE_COMMON_NAMES_IN_CALLBACKS_H_
#define EXAMPLE_COMMON_NAMES_IN_CALLBACKS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct TA {
  size_t struct_size;
  void* ext;
  int mode;
} TA;

typedef struct TB {
  size_t struct_size;
  void* ext;
  int mode;
} TB;

typedef struct TC {
  size_t struct_size;
  void* ext;
  int mode;
} TC;

typedef struct Table {
  size_t struct_size;
  void* ext;
  int (*open)(const TA* a, TB* b);
  void (*close)(TC* c);
} Table;

#endif  // EXAMPLE_COMMON_NAMES_IN_CALLBACKS_H_
