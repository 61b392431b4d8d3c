#ifndef A_H
#define A_H
int f(int);
int g(void);
#endif
