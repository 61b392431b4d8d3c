#ifndef _ABIGEN_UTIME_H
#define _ABIGEN_UTIME_H
#include <sys/types.h>
struct utimbuf {
  time_t actime;
  time_t modtime;
};
#endif
