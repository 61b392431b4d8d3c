#ifndef _ABIGEN_STDDEF_H
#define _ABIGEN_STDDEF_H
#ifndef NULL
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
#ifdef _MSC_VER
typedef double max_align_t;
#elif defined __APPLE__
typedef long double max_align_t;
#else
typedef struct {
  long long __longest __attribute__((__aligned__(__alignof__(long long))));
  long double __widest __attribute__((__aligned__(__alignof__(long double))));
#if defined __i386__ && !defined __clang__ && !defined _WIN32
  __float128 __widest_of_i386 __attribute__((__aligned__(__alignof__(__float128))));
#endif
} max_align_t;
#endif
#endif
