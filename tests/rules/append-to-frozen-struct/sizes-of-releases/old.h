#pragma once
struct attr { unsigned type; unsigned size; unsigned long long config; };
#define ATTR_SIZE_VER0 16
int f(struct attr *);
