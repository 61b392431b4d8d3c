// The count says what is counted in fewer words than the pointer.
#ifndef OPTIONS_H_
#define OPTIONS_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Option {
  size_t struct_size;
  const char* name;
  const char* value;
} Option;

typedef struct CreateArgs {
  size_t struct_size;
  const Option* create_options;
  size_t num_options;
  Option* chosen;
} CreateArgs;

#endif  // OPTIONS_H_
