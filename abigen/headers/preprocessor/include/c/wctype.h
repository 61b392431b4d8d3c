#ifndef _ABIGEN_WCTYPE_H
#define _ABIGEN_WCTYPE_H
#include <stddef.h>
typedef __WINT_TYPE__ wint_t;
#ifdef __APPLE__
typedef unsigned int wctype_t;
#elif defined _WIN32
typedef unsigned short wctype_t;
#else
typedef unsigned long wctype_t;
#endif
#endif
