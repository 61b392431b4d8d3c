#ifndef _ABIGEN_SYS_SOCKET_H
#define _ABIGEN_SYS_SOCKET_H
#include <sys/types.h>
#include <sys/uio.h>
#if defined __APPLE__ || defined __FreeBSD__ || defined __linux__
typedef unsigned int socklen_t;
struct linger {
  int l_onoff;
  int l_linger;
};
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define PF_UNSPEC AF_UNSPEC
#define PF_UNIX AF_UNIX
#define PF_INET AF_INET
#define PF_INET6 AF_INET6
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_RAW 3
#endif
#if defined __APPLE__ || defined __FreeBSD__
typedef unsigned char sa_family_t;
#ifdef __APPLE__
#define AF_INET6 30
#else
#define AF_INET6 28
#endif
#define SOL_SOCKET 0xffff
struct sockaddr {
  unsigned char sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_storage {
  unsigned char ss_len;
  sa_family_t ss_family;
  char __ss_pad1[6];
  long long __ss_align;
  char __ss_pad2[112];
};
struct msghdr {
  void *msg_name;
  socklen_t msg_namelen;
  struct iovec *msg_iov;
  int msg_iovlen;
  void *msg_control;
  socklen_t msg_controllen;
  int msg_flags;
};
struct cmsghdr {
  socklen_t cmsg_len;
  int cmsg_level;
  int cmsg_type;
};
#elif defined __linux__
typedef unsigned short sa_family_t;
#define AF_INET6 10
#if !defined __mips__ && !defined __sparc__
#define SOL_SOCKET 1
#endif
struct sockaddr {
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_storage {
  sa_family_t ss_family;
  char __ss_padding[128 - sizeof(sa_family_t) - sizeof(unsigned long)];
  unsigned long __ss_align;
};
struct msghdr {
  void *msg_name;
  socklen_t msg_namelen;
  struct iovec *msg_iov;
  size_t msg_iovlen;
  void *msg_control;
  size_t msg_controllen;
  int msg_flags;
};
struct cmsghdr {
  size_t cmsg_len;
  int cmsg_level;
  int cmsg_type;
  unsigned char __cmsg_data[];
};
#endif
#endif
