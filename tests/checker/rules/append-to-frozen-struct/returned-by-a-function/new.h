#pragma once
typedef struct S { int a; int b; int c; } S;
S *S_new(void);
void S_free(S *s);
int S_get(const S *s);
