#ifndef HORN_H
#define HORN_H
int f(int);
#endif
