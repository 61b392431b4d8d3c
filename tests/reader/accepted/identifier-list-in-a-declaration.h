int f(a, b);
