// Not the usual pattern, but always the same. Should not trigger.
#ifndef PJ_H_
#define PJ_H_

#include <stddef.h>
#include <stdint.h>

#define PJ_STRUCT_SIZE(struct_type, last_field) (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))
#define PJ_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                      \
  enum { sname##_STRUCT_SIZE = PJ_STRUCT_SIZE(sname, last_field) }

struct PJ_Client_Create_Args {
  size_t struct_size;
  void* client;
};
PJ_DEFINE_STRUCT_TRAITS(PJ_Client_Create_Args, client);

struct PJ_Client_Destroy_Args {
  size_t struct_size;
  void* client;
};
PJ_DEFINE_STRUCT_TRAITS(PJ_Client_Destroy_Args, client);

struct PJ_Event_Await_Args {
  size_t struct_size;
  void* event;
};
PJ_DEFINE_STRUCT_TRAITS(PJ_Event_Await_Args, event);

#endif  // PJ_H_
