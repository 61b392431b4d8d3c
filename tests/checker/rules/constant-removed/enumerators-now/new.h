#pragma once
enum { RED = 1, GREEN = 2 };
int f(int c);
