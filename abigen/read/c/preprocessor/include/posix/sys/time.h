#ifndef _ABIGEN_SYS_TIME_H
#define _ABIGEN_SYS_TIME_H
#include <sys/types.h>
#include <time.h>
#ifdef _WIN32
struct timeval {
  long tv_sec;
  long tv_usec;
};
#else
struct timeval {
  time_t tv_sec;
  suseconds_t tv_usec;
};
#endif
struct timezone {
  int tz_minuteswest;
  int tz_dsttime;
};
#endif
