#pragma once
#define RED 1
#define GREEN 2
int f(int c);
