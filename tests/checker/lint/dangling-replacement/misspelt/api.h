// Users are sent to names that do not exist. Should trigger for both.
#ifndef DANGLE_H_
#define DANGLE_H_

#include <stddef.h>

typedef struct DangleDevice {
  size_t struct_size;
  const char* name;         // Deprecating soon. Use `beter_name`. Optional. NULL is no-op.
  const char* better_name;  // Replaces `nam`. NULL is no-op.
} DangleDevice;

#endif  // DANGLE_H_
