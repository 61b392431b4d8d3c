// Two structs whose members are those of all others get other names; callbacks take them. Should trigger twice.
#ifndef EXAMPLE_COMMON_NAMES_IN_CALLBACKS_H_
#define EXAMPLE_COMMON_NAMES_IN_CALLBACKS_H_

#include <stddef.h>
#include <stdint.h>

typedef struct Opening {
  size_t struct_size;
  void* ext;
  int mode;
} Opening;

typedef struct TB {
  size_t struct_size;
  void* ext;
  int mode;
} TB;

typedef struct Closing {
  size_t struct_size;
  void* ext;
  int mode;
} Closing;

typedef struct Table {
  size_t struct_size;
  void* ext;
  int (*open)(const Opening* a, TB* b);
  void (*close)(Closing* c);
} Table;

#endif  // EXAMPLE_COMMON_NAMES_IN_CALLBACKS_H_
