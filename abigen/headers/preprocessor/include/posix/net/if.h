#ifndef _ABIGEN_NET_IF_H
#define _ABIGEN_NET_IF_H
#include <sys/socket.h>
#define IF_NAMESIZE 16
#define IFNAMSIZ 16
#endif
