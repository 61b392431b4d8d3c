#ifndef _ABIGEN_STRING_H
#define _ABIGEN_STRING_H
#include <stddef.h>
#endif
