#pragma once
/* Allocated by the core. */
typedef struct S { int a; int b; } S;
S *S_new(void);
void S_free(S *s);
