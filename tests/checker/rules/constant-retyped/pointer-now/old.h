#pragma once
#define NONE ((int)0)
int f(int c);
