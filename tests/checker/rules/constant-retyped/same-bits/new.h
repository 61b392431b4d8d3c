#pragma once
#define F (34U << 26)
int f(int);
