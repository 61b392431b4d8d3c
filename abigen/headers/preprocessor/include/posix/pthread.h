#ifndef _ABIGEN_PTHREAD_H
#define _ABIGEN_PTHREAD_H
#include <sched.h>
#include <time.h>
#ifdef __APPLE__
#define __abigen_opaque(name, size) \
  struct name {                     \
    long __sig;                     \
    char __opaque[size];            \
  }
typedef struct _opaque_pthread_t *pthread_t;
typedef unsigned long pthread_key_t;
#if __SIZEOF_POINTER__ == 8
typedef __abigen_opaque(_opaque_pthread_attr_t, 56) pthread_attr_t;
typedef __abigen_opaque(_opaque_pthread_mutex_t, 56) pthread_mutex_t;
typedef __abigen_opaque(_opaque_pthread_cond_t, 40) pthread_cond_t;
typedef __abigen_opaque(_opaque_pthread_rwlock_t, 192) pthread_rwlock_t;
typedef __abigen_opaque(_opaque_pthread_rwlockattr_t, 16) pthread_rwlockattr_t;
#else
typedef __abigen_opaque(_opaque_pthread_attr_t, 36) pthread_attr_t;
typedef __abigen_opaque(_opaque_pthread_mutex_t, 40) pthread_mutex_t;
typedef __abigen_opaque(_opaque_pthread_cond_t, 24) pthread_cond_t;
typedef __abigen_opaque(_opaque_pthread_rwlock_t, 124) pthread_rwlock_t;
typedef __abigen_opaque(_opaque_pthread_rwlockattr_t, 12) pthread_rwlockattr_t;
#endif
typedef __abigen_opaque(_opaque_pthread_mutexattr_t, 8) pthread_mutexattr_t;
typedef __abigen_opaque(_opaque_pthread_condattr_t, __SIZEOF_POINTER__ == 8 ? 8 : 4) pthread_condattr_t;
typedef __abigen_opaque(_opaque_pthread_once_t, __SIZEOF_POINTER__ == 8 ? 8 : 4) pthread_once_t;
#else
#if defined __aarch64__
#define __abigen_wide(others, here, narrow) here
#elif __SIZEOF_POINTER__ == 8
#define __abigen_wide(others, here, narrow) others
#else
#define __abigen_wide(others, here, narrow) narrow
#endif
#define __abigen_opaque(size, alignment) \
  union {                                \
    char __size[size];                   \
    alignment __align;                   \
  }
typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef volatile int pthread_spinlock_t;
typedef union pthread_attr_t pthread_attr_t;
union pthread_attr_t {
  char __size[__abigen_wide(56, 64, 36)];
  long __align;
};
typedef __abigen_opaque(__abigen_wide(4, 8, 4), int) pthread_mutexattr_t;
typedef __abigen_opaque(__abigen_wide(4, 8, 4), int) pthread_condattr_t;
typedef __abigen_opaque(__abigen_wide(40, 48, 24), long) pthread_mutex_t;
typedef __abigen_opaque(48, long long) pthread_cond_t;
typedef __abigen_opaque(__abigen_wide(56, 56, 32), long) pthread_rwlock_t;
typedef __abigen_opaque(8, long) pthread_rwlockattr_t;
typedef __abigen_opaque(__abigen_wide(32, 32, 20), long) pthread_barrier_t;
typedef __abigen_opaque(__abigen_wide(4, 8, 4), int) pthread_barrierattr_t;
#endif
#endif
