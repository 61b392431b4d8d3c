#ifndef _ABIGEN_SEMAPHORE_H
#define _ABIGEN_SEMAPHORE_H
#include <sys/types.h>
#if defined __APPLE__
typedef int sem_t;
#elif defined __ANDROID__
typedef struct {
  unsigned int count;
#ifdef __LP64__
  int __reserved[3];
#endif
} sem_t;
#elif defined __linux__
typedef union {
#ifdef __LP64__
  char __size[32];
#else
  char __size[16];
#endif
  long __align;
} sem_t;
#endif
#endif
