#ifndef _ABIGEN_TIME_H
#define _ABIGEN_TIME_H
#include <sys/types.h>
#ifdef _WIN32
typedef long clock_t;
#define CLOCKS_PER_SEC 1000
#else
#define CLOCKS_PER_SEC 1000000
#define CLOCK_REALTIME 0
#ifdef __APPLE__
typedef int clockid_t;
#define CLOCK_MONOTONIC 6
#else
#define CLOCK_MONOTONIC 1
#endif
#endif
#define TIME_UTC 1
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct tm {
  int tm_sec;
  int tm_min;
  int tm_hour;
  int tm_mday;
  int tm_mon;
  int tm_year;
  int tm_wday;
  int tm_yday;
  int tm_isdst;
#ifndef _WIN32
  long tm_gmtoff;
  const char *tm_zone;
#endif
};
#endif
