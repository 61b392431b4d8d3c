#ifndef _ABIGEN_AFUNIX_H
#define _ABIGEN_AFUNIX_H
#include <winsock2.h>
typedef struct sockaddr_un {
  u_short sun_family;
  char sun_path[108];
} SOCKADDR_UN, *PSOCKADDR_UN;
#endif
