#pragma once
struct h { unsigned char v; union { struct { unsigned s, d; }; struct { unsigned s, d; } addrs; }; unsigned t; };
int f(struct h *);
