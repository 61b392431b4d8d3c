#pragma once
void f(int n, int out[n + 1]);
