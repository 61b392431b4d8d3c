typedef int (*(*ff)(int (*)(int), int (*(*)(void))[3]))(void); int (*(*x[3])(void))[5];
