#pragma once
typedef struct A { int x; } A, B;
int f(A*);
