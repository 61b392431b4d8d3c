// A struct goes, and one comes whose members have the same names and other types. Should not trigger.
#ifndef EXAMPLE_COMMON_NAMES_OTHER_TYPES_H_
#define EXAMPLE_COMMON_NAMES_OTHER_TYPES_H_

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

#endif  // EXAMPLE_COMMON_NAMES_OTHER_TYPES_H_
