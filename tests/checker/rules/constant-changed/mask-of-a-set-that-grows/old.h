#pragma once
#define F_A 1
#define F_B 2
#define F_MASK 3
#define F_SUPPORTED (F_A|F_B)
#define F_LASTP1 4
#define F_COUNT 2
int f(int);
