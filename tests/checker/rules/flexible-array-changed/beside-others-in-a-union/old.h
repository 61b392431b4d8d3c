#pragma once
struct h { int n; union { int a; char d[0]; }; };
int f(struct h *);
