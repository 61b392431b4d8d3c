#ifndef _ABIGEN_MEMORY_H
#define _ABIGEN_MEMORY_H
#include <string.h>
#endif
