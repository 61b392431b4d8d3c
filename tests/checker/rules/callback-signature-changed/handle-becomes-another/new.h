// Another handle, a handle that comes from nowhere, data with members, and a second change beside it. Should trigger.
#pragma once

struct toy_st;
struct box_st;
struct toy_data {
  int level;
};

struct toy_table {
  void (*close)(struct box_st* toy);
  void (*flush)(struct toy_st* toy);
  void (*read)(void* data);
  void (*write)(void* toy, long long size);
};

#ifdef __cplusplus
extern "C" {
#endif
void toy_use(const struct toy_table* table, struct box_st* box);
#ifdef __cplusplus
}
#endif
