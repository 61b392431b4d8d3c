struct S; typedef struct S S; typedef struct T *T; struct S *f(T); struct U; void g(struct U *u);
