#ifndef _ABIGEN_SYS_SELECT_H
#define _ABIGEN_SYS_SELECT_H
#include <signal.h>
#include <sys/types.h>
#include <time.h>
#define FD_SETSIZE 1024
struct timeval {
  time_t tv_sec;
  suseconds_t tv_usec;
};
#if defined __APPLE__
typedef struct fd_set {
  int fds_bits[32];
} fd_set;
#elif defined __FreeBSD__
typedef struct fd_set {
  unsigned long __fds_bits[1024 / (8 * sizeof(long))];
} fd_set;
#elif defined __linux__
typedef struct {
  long __fds_bits[1024 / (8 * sizeof(long))];
} fd_set;
#endif
#endif
