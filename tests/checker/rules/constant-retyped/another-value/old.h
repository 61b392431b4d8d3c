#pragma once
#define A (-1)
int f(int);
