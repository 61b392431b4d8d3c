#ifndef _ABIGEN_WINSOCK2_H
#define _ABIGEN_WINSOCK2_H
#include <windows.h>
typedef __UINTPTR_TYPE__ SOCKET;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
struct timeval {
  long tv_sec;
  long tv_usec;
};
struct sockaddr {
  u_short sa_family;
  char sa_data[14];
};
#define INVALID_SOCKET ((SOCKET)~0)
#define SOCKET_ERROR (-1)
#endif
