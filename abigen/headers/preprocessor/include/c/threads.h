#ifndef _ABIGEN_THREADS_H
#define _ABIGEN_THREADS_H
#include <time.h>
typedef unsigned long thrd_t;
typedef unsigned int tss_t;
typedef int once_flag;
typedef union {
#ifdef __aarch64__
  char __size[48];
#else
  char __size[__SIZEOF_POINTER__ == 8 ? 40 : 24];
#endif
  long __align;
} mtx_t;
typedef union {
  char __size[48];
  long long __align;
} cnd_t;
typedef int (*thrd_start_t)(void *);
typedef void (*tss_dtor_t)(void *);
#define thread_local _Thread_local
#endif
