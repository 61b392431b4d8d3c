#pragma once
#define A (1 << 31)
int f(int);
