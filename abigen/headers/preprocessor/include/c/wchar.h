#ifndef _ABIGEN_WCHAR_H
#define _ABIGEN_WCHAR_H
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
typedef __WINT_TYPE__ wint_t;
#ifdef __MINGW32__
typedef int mbstate_t;
#elif defined _WIN32
typedef struct {
  unsigned long _Wchar;
  unsigned short _Byte, _State;
} mbstate_t;
#elif defined __APPLE__
typedef union {
  char __mbstate8[128];
  long long _mbstateL;
} mbstate_t;
#else
typedef struct {
  int __count;
  union {
    unsigned int __wch;
    char __wchb[4];
  } __value;
} mbstate_t;
#endif
#ifndef WCHAR_MAX
#define WCHAR_MAX __WCHAR_MAX__
#define WCHAR_MIN __WCHAR_MIN__
#endif
#define WEOF ((wint_t)-1)
#endif
