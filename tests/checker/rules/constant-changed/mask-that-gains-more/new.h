#pragma once
#define F_A 1
#define F_B 2
#define F_C 4
#define F_MASK 15
#define H_A 1
#define H_B 4
#define H_MASK 4
int f(int);
