#ifndef _ABIGEN_SYS_RESOURCE_H
#define _ABIGEN_SYS_RESOURCE_H
#include <sys/time.h>
#if defined __APPLE__ || defined __linux__
#if defined __APPLE__ || (!defined __ANDROID__ && !defined __LP64__ && _FILE_OFFSET_BITS == 64)
typedef unsigned long long rlim_t;
#else
typedef unsigned long rlim_t;
#endif
struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};
struct rusage {
  struct timeval ru_utime;
  struct timeval ru_stime;
  long ru_maxrss;
  long ru_ixrss;
  long ru_idrss;
  long ru_isrss;
  long ru_minflt;
  long ru_majflt;
  long ru_nswap;
  long ru_inblock;
  long ru_oublock;
  long ru_msgsnd;
  long ru_msgrcv;
  long ru_nsignals;
  long ru_nvcsw;
  long ru_nivcsw;
};
#endif
#endif
