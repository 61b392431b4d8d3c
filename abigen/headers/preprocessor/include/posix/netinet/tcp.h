#ifndef _ABIGEN_NETINET_TCP_H
#define _ABIGEN_NETINET_TCP_H
#include <sys/types.h>
#define TCP_NODELAY 1
#endif
