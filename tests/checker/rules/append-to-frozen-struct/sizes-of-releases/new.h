#pragma once
struct event_attr { unsigned type; unsigned size; unsigned long long config; unsigned long long config1; };
#define ATTR_SIZE_VER0 16
#define ATTR_SIZE_VER1 24
int f(struct event_attr *);
