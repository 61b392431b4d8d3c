#ifndef TOY_H
#define TOY_H
#include "tree.h"
int Toy_Parse(const char* text);
#endif
