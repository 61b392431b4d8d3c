#pragma once
void f(int out[4 * 5]);
