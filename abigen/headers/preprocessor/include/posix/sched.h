#ifndef _ABIGEN_SCHED_H
#define _ABIGEN_SCHED_H
#include <sys/types.h>
struct sched_param {
  int sched_priority;
#ifdef __APPLE__
  char __opaque[4];
#endif
};
#endif
