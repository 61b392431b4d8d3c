#pragma once
void f(int out[20]);
