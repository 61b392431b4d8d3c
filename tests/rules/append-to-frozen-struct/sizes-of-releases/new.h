#pragma once
struct attr { unsigned type; unsigned size; unsigned long long config; unsigned long long config1; };
#define ATTR_SIZE_VER0 16
#define ATTR_SIZE_VER1 24
int f(struct attr *);
