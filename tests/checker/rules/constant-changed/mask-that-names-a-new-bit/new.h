#pragma once
#define B_DATA 1
#define B_META 2
#define B_MAP 64
#define B_TYPE_MASK (B_DATA | B_META | B_MAP)
#define M__MASK 7
#define M_A 1
#define M_B 2
#define M_C 4
int f(int);
