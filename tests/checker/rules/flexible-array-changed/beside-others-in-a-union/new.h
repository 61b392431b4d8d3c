#pragma once
struct h { int n; union { int a; struct { struct {} __empty_d; char d[]; }; }; };
int f(struct h *);
