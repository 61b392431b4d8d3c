#ifndef _ABIGEN_SYS_PARAM_H
#define _ABIGEN_SYS_PARAM_H
#include <limits.h>
#include <sys/types.h>
#ifdef __APPLE__
#define MAXPATHLEN 1024
#define MAXHOSTNAMELEN 256
#elif defined __linux__
#define MAXPATHLEN 4096
#define MAXHOSTNAMELEN 64
#endif
#endif
