#ifndef _ABIGEN_FENV_H
#define _ABIGEN_FENV_H
typedef struct __abigen_fenv fenv_t;
#ifdef _MSC_VER
typedef unsigned long fexcept_t;
#else
typedef unsigned short fexcept_t;
#endif
#define FE_INVALID 1
#define FE_TONEAREST 0
#endif
