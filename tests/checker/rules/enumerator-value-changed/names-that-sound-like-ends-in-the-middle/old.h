#pragma once
enum { A_UNSPEC, A_SIZE_MIN, A_IN_COUNT, A_NR_X, __A_MAX, A_MAX = __A_MAX - 1 };
enum kinds { K_A, K_B, NR_KINDS, K_MAX = NR_KINDS - 1 };
int f(enum kinds);
