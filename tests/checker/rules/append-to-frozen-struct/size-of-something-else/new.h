// Sizes of what members point to, not of the structs that they begin.
#ifndef POOL_H_
#define POOL_H_

#include <stddef.h>

typedef struct PoolConfig {
  int level;
} PoolConfig;

typedef struct PoolRequest {
  size_t config_size;  // size of the structure that config points to
  const PoolConfig* config;
  long deadline;  // 0 is no-op.
} PoolRequest;

typedef struct PoolBuffer {
  size_t size;  // Size of the data, in bytes.
  void* data;
  long stride;  // 0 is no-op.
} PoolBuffer;

int pool_ask(const PoolRequest* request, const PoolBuffer* buffer);

#endif  // POOL_H_
