#ifndef _ABIGEN_LOCALE_H
#define _ABIGEN_LOCALE_H
#include <stddef.h>
struct lconv;
#ifdef __APPLE__
typedef struct _xlocale *locale_t;
#elif !defined _WIN32
typedef struct __locale_struct *locale_t;
#endif
#endif
