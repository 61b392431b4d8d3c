#pragma once
#define B_DATA 1
#define B_META 2
#define B_TYPE_MASK (B_DATA | B_META)
#define M__MASK 3
#define M_A 1
#define M_B 2
int f(int);
