#pragma once
#define F 1UL
int f(int);
