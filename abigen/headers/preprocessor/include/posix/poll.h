#ifndef _ABIGEN_POLL_H
#define _ABIGEN_POLL_H
#if defined __APPLE__ || defined __ANDROID__ || defined __FreeBSD__
typedef unsigned int nfds_t;
#elif defined __linux__
typedef unsigned long nfds_t;
#endif
struct pollfd {
  int fd;
  short events;
  short revents;
};
#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#endif
