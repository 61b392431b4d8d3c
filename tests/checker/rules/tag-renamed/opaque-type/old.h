#pragma once
typedef struct S_ S;
void f(S *s);
