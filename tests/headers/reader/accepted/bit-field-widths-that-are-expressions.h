enum { W = 3 }; struct S { unsigned a : W + 1; unsigned b : sizeof(char); };
