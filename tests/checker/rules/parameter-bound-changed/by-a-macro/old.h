#pragma once
#define N 20
void f(int out[N]);
