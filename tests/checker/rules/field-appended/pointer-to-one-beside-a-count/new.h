// A pointer in the singular points to one, whatever is counted beside it.
#ifndef POOL_H_
#define POOL_H_

#include <stddef.h>
#include <stdint.h>


typedef struct Worker {
  size_t struct_size;
  void* state;
  void* queue;
} Worker;

#define WORKER_STRUCT_SIZE (offsetof(Worker, queue) + sizeof(((Worker*)0)->queue))

typedef struct Pool {
  size_t struct_size;
  Worker* worker;
  size_t worker_count;
} Pool;

#endif  // POOL_H_
