struct h { long long k; union { int a; long long b; } u; int z; };
int f(struct h *);
struct g { long long k; union { int a[2]; long long b; } u; };
int f2(struct g *);
struct i { long long k; union { int a; long long b; } u; };
int f3(struct i *);
