struct S { int a; char b, *c; double d[2][3]; }; struct S s; struct S *f(struct S);
