#ifndef _ABIGEN_WS2IPDEF_H
#define _ABIGEN_WS2IPDEF_H
#include <winsock2.h>
struct in6_addr {
  union {
    u_char Byte[16];
    u_short Word[8];
  } u;
};
typedef struct in6_addr IN6_ADDR, *PIN6_ADDR;
struct sockaddr_in6 {
  short sin6_family;
  u_short sin6_port;
  u_long sin6_flowinfo;
  struct in6_addr sin6_addr;
  u_long sin6_scope_id;
};
typedef struct sockaddr_in6 SOCKADDR_IN6, *PSOCKADDR_IN6;
struct ip_mreq {
  struct in_addr imr_multiaddr;
  struct in_addr imr_interface;
};
struct ipv6_mreq {
  struct in6_addr ipv6mr_multiaddr;
  u_long ipv6mr_interface;
};
#endif
