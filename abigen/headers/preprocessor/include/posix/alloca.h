#ifndef _ABIGEN_ALLOCA_H
#define _ABIGEN_ALLOCA_H
#include <stddef.h>
#endif
