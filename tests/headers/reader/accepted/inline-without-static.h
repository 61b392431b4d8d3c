inline int f(int a) { return a; } extern inline int g(void) { return 0; }
