#pragma once
inline int toy_twice(int);
inline int toy_twice(int x) { return x + x + 1; }
int toy_half(int);
inline int toy_half(int x) { return x >> 1; }
