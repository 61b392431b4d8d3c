#pragma once
typedef struct A { int x; } A;
int f(A*);
