struct h { long long k; union { int a; } u; int z; };
int f(struct h *);
struct g { long long k; union { int a[2]; } u; };
int f2(struct g *);
struct i { long long k; union { int a; } u; };
int f3(struct i *);
