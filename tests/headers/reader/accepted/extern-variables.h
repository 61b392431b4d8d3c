extern int a; extern const char *const b[]; extern struct S *c; int d; extern int e[10];
