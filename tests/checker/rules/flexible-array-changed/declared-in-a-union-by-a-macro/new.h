#pragma once
struct h { int n; union { struct { struct {} __empty_d; char d[]; }; }; };
int f(struct h *);
