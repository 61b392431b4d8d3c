#pragma once
struct h { char v; union { unsigned s; unsigned long long l; }; unsigned t; };
int f(struct h *);
