// `priority` moves behind the others: only it is reported, the rest slides.
#ifndef JOB_QUEUE_H_
#define JOB_QUEUE_H_

#include <stddef.h>
#include <stdint.h>

typedef struct JobDescription {
  size_t struct_size;
  int64_t priority;
  const char* name;
  void (*run)(void* argument);
  void* argument;
  uint64_t deadline_ns;
} JobDescription;

#endif  // JOB_QUEUE_H_
