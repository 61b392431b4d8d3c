#pragma once
#define F_A 1
#define F_B 2
#define F_MASK 3
#define H_A 1
#define H_MASK 3
int f(int);
