#pragma once
#define A 1.0f
#define B 16
#define C 8
#define D 1L
#define E 2u
#define F 35u
#define G ((void*)0)
#define H ((unsigned char)5)
int f(int);
