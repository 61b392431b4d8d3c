#ifndef _ABIGEN_VADEFS_H
#define _ABIGEN_VADEFS_H
#include <stdarg.h>
#endif
