#pragma once
#define N 32
void f(int out[N]);
