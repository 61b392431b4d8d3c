#pragma once
enum { F_A = 1, F_B = 2, F_C = 4, F_MASK = 7 };
enum g { G_A = 1, G_B = 2, G_C = 8, G_ALL = G_A | G_B | G_C };
int f(enum g);
