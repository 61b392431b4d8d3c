#ifndef _ABIGEN_NETINET_IN_H
#define _ABIGEN_NETINET_IN_H
#include <sys/socket.h>
#if defined __APPLE__ || defined __FreeBSD__ || defined __linux__
typedef unsigned int in_addr_t;
typedef unsigned short in_port_t;
struct in_addr {
  in_addr_t s_addr;
};
struct in6_addr {
  union {
    unsigned char __u6_addr8[16];
    unsigned short __u6_addr16[8];
    unsigned int __u6_addr32[4];
  } __u6_addr;
};
struct sockaddr_in {
#if defined __APPLE__ || defined __FreeBSD__
  unsigned char sin_len;
#endif
  sa_family_t sin_family;
  in_port_t sin_port;
  struct in_addr sin_addr;
  char sin_zero[8];
};
struct sockaddr_in6 {
#if defined __APPLE__ || defined __FreeBSD__
  unsigned char sin6_len;
#endif
  sa_family_t sin6_family;
  in_port_t sin6_port;
  unsigned int sin6_flowinfo;
  struct in6_addr sin6_addr;
  unsigned int sin6_scope_id;
};
struct ip_mreq {
  struct in_addr imr_multiaddr;
  struct in_addr imr_interface;
};
struct ipv6_mreq {
  struct in6_addr ipv6mr_multiaddr;
  unsigned int ipv6mr_interface;
};
#define IPPROTO_IP 0
#define IPPROTO_ICMP 1
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define IPPROTO_IPV6 41
#define INADDR_ANY ((in_addr_t)0x00000000)
#define INADDR_LOOPBACK ((in_addr_t)0x7f000001)
#define INADDR_BROADCAST ((in_addr_t)0xffffffff)
#define INADDR_NONE ((in_addr_t)0xffffffff)
#define INET_ADDRSTRLEN 16
#define INET6_ADDRSTRLEN 46
#endif
#endif
