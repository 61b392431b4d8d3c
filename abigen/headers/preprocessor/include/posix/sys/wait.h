#ifndef _ABIGEN_SYS_WAIT_H
#define _ABIGEN_SYS_WAIT_H
#include <signal.h>
#include <sys/types.h>
#define WNOHANG 1
#define WUNTRACED 2
#endif
