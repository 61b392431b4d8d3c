#ifndef _ABIGEN_TGMATH_H
#define _ABIGEN_TGMATH_H
#include <complex.h>
#include <math.h>
#endif
