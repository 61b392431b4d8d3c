#pragma once
void f(unsigned char out[20]);
