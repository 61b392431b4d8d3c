#ifndef _ABIGEN_SYS_MMAN_H
#define _ABIGEN_SYS_MMAN_H
#include <sys/types.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_FAILED ((void *)-1)
#endif
