#ifndef _ABIGEN_NETDB_H
#define _ABIGEN_NETDB_H
#include <netinet/in.h>
struct hostent {
  char *h_name;
  char **h_aliases;
  int h_addrtype;
  int h_length;
  char **h_addr_list;
};
struct servent {
  char *s_name;
  char **s_aliases;
  int s_port;
  char *s_proto;
};
struct protoent {
  char *p_name;
  char **p_aliases;
  int p_proto;
};
struct addrinfo;
#if defined __APPLE__ || defined __linux__
struct addrinfo {
  int ai_flags;
  int ai_family;
  int ai_socktype;
  int ai_protocol;
  socklen_t ai_addrlen;
#if defined __APPLE__ || defined __ANDROID__
  char *ai_canonname;
  struct sockaddr *ai_addr;
#else
  struct sockaddr *ai_addr;
  char *ai_canonname;
#endif
  struct addrinfo *ai_next;
};
#define AI_PASSIVE 1
#define AI_CANONNAME 2
#define AI_NUMERICHOST 4
#endif
#define NI_MAXHOST 1025
#define NI_MAXSERV 32
#endif
