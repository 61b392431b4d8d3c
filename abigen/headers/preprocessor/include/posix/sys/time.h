#ifndef _ABIGEN_SYS_TIME_H
#define _ABIGEN_SYS_TIME_H
#include <sys/select.h>
#include <sys/types.h>
#include <time.h>
struct itimerval {
  struct timeval it_interval;
  struct timeval it_value;
};
struct timezone {
  int tz_minuteswest;
  int tz_dsttime;
};
#endif
