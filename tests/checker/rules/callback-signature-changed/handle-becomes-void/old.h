// What callbacks and functions get and give back is a handle without a type now: the same pointer. Should trigger.
#pragma once

#include <stddef.h>

struct toy_st;
typedef struct toy_st* toy_handle;
typedef void (*toy_visit)(const struct toy_st* toy, int depth);

struct toy_table {
  size_t struct_size;
  void (*close)(struct toy_st* toy, int how);
  toy_handle (*open)(const char* name);
};

#ifdef __cplusplus
extern "C" {
#endif
int toy_poll(toy_handle toy);
void toy_walk(toy_visit visit, const struct toy_table* table);
#ifdef __cplusplus
}
#endif
