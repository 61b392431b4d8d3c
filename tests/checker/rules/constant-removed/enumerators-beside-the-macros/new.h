#pragma once
enum { RED = 1, GREEN = 2 };
#define RED RED
#define GREEN GREEN
int f(int c);
