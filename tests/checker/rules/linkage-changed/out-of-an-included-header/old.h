// Near miss: the function comes from an included header, of which nobody knows how C++ reads it. Should not trigger.
#ifndef A_H
#define A_H
#include "horn.h"
int g(void);
#endif
