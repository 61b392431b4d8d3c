// A constant states the version of each struct, and NEW raises it. Should trigger.
#pragma once
#include <stdint.h>

#define TOY_TYPE_METHOD_VERSION 2
typedef struct ToyTypeMethods {
  uint64_t version;
  int (*load)(void* toy);
  int (*added)(void* toy);
} ToyTypeMethods;

#define TOY_INFO_VERSION 2
typedef struct ToyInfo {
  uint64_t version; /* Here for future compatibility. */
  int64_t count;
  int64_t more;
} ToyInfoV1;

struct toy_node_events {
#define TOY_VERSION_NODE_EVENTS 2
  uint32_t version;
  void (*info)(void* data);
  int (*added)(void* toy);
};

enum { TOY_HOOKS_ABI_VERSION = 2 };
struct toy_hooks {
  int abi_version;
  int (*before)(void* toy);
  int (*added)(void* toy);
};

#define TOY_API_VERSION (2 << 16)
struct toy_policy {
  unsigned int type;
  unsigned int version; /* always TOY_API_VERSION */
  int (*open)(void* toy);
  int (*added)(void* toy);
};

int toy_register(const ToyTypeMethods* methods, ToyInfoV1* info, const struct toy_node_events* events,
                 const struct toy_hooks* hooks, const struct toy_policy* policy);
