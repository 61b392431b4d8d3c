#pragma once
#define A (1ull << 31)
int f(int);
