enum { A = 1u, B = 1L, C = 0x7fffffff, D = 1ull - 1, E = 0777, F = 1LLU, G = 0XFFu, H = 2000 - 2000 };
