// The constants are enumerators, made by a helper: they are neither renumbered enumerators nor changed constants.
#ifndef KV_API_H_
#define KV_API_H_

#include <stddef.h>
#include <stdint.h>

#define KV_STRUCT_SIZE(struct_type, last_field) (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))
#define KV_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                      \
  enum { sname##_STRUCT_SIZE = KV_STRUCT_SIZE(sname, last_field) }

typedef struct KV_Error KV_Error;
typedef struct KV_Client KV_Client;

struct KV_Get_Args {
  size_t struct_size;
  void* extension_start;
  KV_Client* client;
  const char* key;
  const char* value;  // out
};
KV_DEFINE_STRUCT_TRAITS(KV_Get_Args, value);
typedef KV_Error* KV_Get(KV_Get_Args* args);

struct KV_Put_Args {
  size_t struct_size;
  void* extension_start;
  KV_Client* client;
  const char* key;
  const char* value;
};
KV_DEFINE_STRUCT_TRAITS(KV_Put_Args, value);
typedef KV_Error* KV_Put(KV_Put_Args* args);

#define _KV_API_STRUCT_FIELD(fn_type) fn_type* fn_type
typedef struct KV_Api {
  size_t struct_size;
  void* extension_start;
  _KV_API_STRUCT_FIELD(KV_Get);
  _KV_API_STRUCT_FIELD(KV_Put);
} KV_Api;
enum { KV_Api_STRUCT_SIZE = KV_STRUCT_SIZE(KV_Api, KV_Put) };
#undef _KV_API_STRUCT_FIELD

const KV_Api* KV_GetApi(void);

#endif  // KV_API_H_
