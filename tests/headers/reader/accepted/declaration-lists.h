int a, *b, c[3], (*d)(int), *e(void), **f[2];
