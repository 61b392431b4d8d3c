#include <stddef.h>
struct S { int a; struct { char b[4]; } c; };
int x[offsetof(struct S, c.b[2])]; enum { E = offsetof(struct S, c) + sizeof(((struct S*)0)->c) };
int y[(size_t)&((struct S*)0)->c]; int z[__builtin_offsetof(struct S, a) + 1];
