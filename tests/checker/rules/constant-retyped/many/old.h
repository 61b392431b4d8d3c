#pragma once
#define A 1.0
#define B 0x10
#define C (1 << 3)
#define D 1LL
#define E 2
#define F 34u
#define G NULL
#define H 5
int f(int);
