int f(int a); int f(int b); int f(); extern int f(int); struct S; void g(struct S *); void g(struct S *s);
