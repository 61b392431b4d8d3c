#pragma once
#define F_A 1
#define F_B 2
#define F_C 4
#define F_MASK 7
#define F_SUPPORTED (F_A|F_B|F_C)
#define F_LASTP1 8
#define F_COUNT 3
int f(int);
