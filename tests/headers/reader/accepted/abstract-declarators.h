void f(int *, int (*)(void), int[3], int (*)[2], int *(*)(int *), const char *const *, int(int), int (*[])(void));
