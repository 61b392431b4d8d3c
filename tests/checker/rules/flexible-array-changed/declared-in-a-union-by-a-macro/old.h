#pragma once
struct h { int n; char d[0]; };
int f(struct h *);
