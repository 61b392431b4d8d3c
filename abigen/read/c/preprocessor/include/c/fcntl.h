#ifndef _ABIGEN_FCNTL_H
#define _ABIGEN_FCNTL_H
#include <sys/types.h>
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#endif
