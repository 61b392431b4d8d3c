enum E { A, B = 3, C, D = -1, F = A + 10, G = 'x', H = sizeof(int), I = 1 << 4, J = (1 ? 2 : 3), K = ~0, };
