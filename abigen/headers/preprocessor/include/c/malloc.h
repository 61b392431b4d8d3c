#ifndef _ABIGEN_MALLOC_H
#define _ABIGEN_MALLOC_H
#include <stddef.h>
#endif
