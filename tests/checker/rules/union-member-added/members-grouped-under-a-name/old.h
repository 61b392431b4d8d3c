#pragma once
struct h { unsigned char v; unsigned s, d; unsigned t; };
int f(struct h *);
