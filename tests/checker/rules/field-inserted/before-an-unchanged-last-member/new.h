// The constant still ends at the last member, so comparing last members sees nothing. Should trigger.
#ifndef STORE_PLUGIN_H_
#define STORE_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#define STORE_STRUCT_SIZE(type, last_field) (offsetof(type, last_field) + sizeof(((type*)0)->last_field))
#define STORE_DEFINE_STRUCT(name, last_field) \
  typedef struct name name;                   \
  enum { name##_STRUCT_SIZE = STORE_STRUCT_SIZE(name, last_field) }

struct Store_Read_Args {
  size_t struct_size;
  void* extension_start;
  const char* key;
  uint64_t offset;
  uint64_t length;
  void* buffer;  // out
};
STORE_DEFINE_STRUCT(Store_Read_Args, buffer);

#endif  // STORE_PLUGIN_H_
