#pragma once
#define F (34 << 26)
int f(int);
