#ifndef _ABIGEN_SYS_UN_H
#define _ABIGEN_SYS_UN_H
#include <sys/socket.h>
#if defined __APPLE__ || defined __FreeBSD__
struct sockaddr_un {
  unsigned char sun_len;
  sa_family_t sun_family;
  char sun_path[104];
};
#elif defined __linux__
struct sockaddr_un {
  sa_family_t sun_family;
  char sun_path[108];
};
#endif
#endif
