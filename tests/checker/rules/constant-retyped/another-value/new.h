#pragma once
#define A 0xffffffffffffffffull
int f(int);
