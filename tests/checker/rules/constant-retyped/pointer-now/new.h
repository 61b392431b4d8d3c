#pragma once
#define NONE ((void*)0)
int f(int c);
