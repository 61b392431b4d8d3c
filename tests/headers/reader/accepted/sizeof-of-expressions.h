struct S { int a; char b[7]; struct S *n; }; extern struct S s, *p;
int a[sizeof s]; int b[sizeof(s.b)]; int c[sizeof p->n->b]; int d[sizeof *p]; int e[sizeof(&s)];
int f[sizeof(1 + 1L)];
int g[sizeof(s.b[0])]; int h[sizeof(((struct S*)0)->b)]; int i[sizeof((*(struct S*)0).a)];
int j[sizeof((char)1)];
