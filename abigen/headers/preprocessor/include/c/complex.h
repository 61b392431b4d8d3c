#ifndef _ABIGEN_COMPLEX_H
#define _ABIGEN_COMPLEX_H
#ifdef _MSC_VER
typedef struct _C_double_complex {
  double _Val[2];
} _Dcomplex;
typedef struct _C_float_complex {
  float _Val[2];
} _Fcomplex;
typedef struct _C_ldouble_complex {
  long double _Val[2];
} _Lcomplex;
#else
#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#endif
#endif
