#ifndef _ABIGEN_ICONV_H
#define _ABIGEN_ICONV_H
#include <stddef.h>
typedef void* iconv_t;
#endif
