#ifndef _ABIGEN_CRTDEFS_H
#define _ABIGEN_CRTDEFS_H
#include <stddef.h>
#include <sys/types.h>
#endif
