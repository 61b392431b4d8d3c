#pragma once
enum { F_A = 1, F_B = 2, F_MASK = 3 };
enum g { G_A = 1, G_B = 2, G_ALL = G_A | G_B };
int f(enum g);
