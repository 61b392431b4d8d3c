#pragma once
typedef struct T_ S;
void f(S *s);
