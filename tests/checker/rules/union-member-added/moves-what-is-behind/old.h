#pragma once
struct h { char v; unsigned s; unsigned t; };
int f(struct h *);
