int (*p)[3]; int *(*q)[2][4]; char *(*(*r)(int))[5];
