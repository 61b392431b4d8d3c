#ifndef _ABIGEN_STRINGS_H
#define _ABIGEN_STRINGS_H
#include <stddef.h>
#endif
