#pragma once
#define F 1
int f(int);
