// Another handle, a handle that comes from nowhere, data with members, and a second change beside it. Should trigger.
#pragma once

struct toy_st;
struct box_st;
struct toy_data {
  int level;
};

struct toy_table {
  void (*close)(struct toy_st* toy);
  void (*flush)(void* toy);
  void (*read)(struct toy_data* data);
  void (*write)(struct toy_st* toy, int size);
};

#ifdef __cplusplus
extern "C" {
#endif
void toy_use(const struct toy_table* table, struct box_st* box);
#ifdef __cplusplus
}
#endif
