#pragma once
struct event_attr { unsigned type; unsigned size; unsigned long long config; };
#define ATTR_SIZE_VER0 16
int f(struct event_attr *);
