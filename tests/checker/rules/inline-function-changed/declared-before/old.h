#pragma once
inline int toy_twice(int);
inline int toy_twice(int x) { return 2 * x; }
int toy_half(int);
inline int toy_half(int x) { return x / 2; }
