// RP_Options grows in the middle of RP_Request and moves what stands behind it. Should trigger, naming RP_Request.
#ifndef RPC_PLUGIN_H_
#define RPC_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#define RP_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct RP_Options {
  size_t struct_size;
  int64_t timeout_ns;
  int64_t retries;  // 0 is no-op.
} RP_Options;

#define RP_OPTIONS_STRUCT_SIZE RP_END(RP_Options, retries)

typedef struct RP_Request {
  size_t struct_size;
  RP_Options options;
  const char* method;
  void* payload;
} RP_Request;

#define RP_REQUEST_STRUCT_SIZE RP_END(RP_Request, payload)

#endif  // RPC_PLUGIN_H_
