#define TOY_DEP __attribute__((deprecated))
int toy_f(int a);
int toy_g(int a);
typedef struct toy_s { int a; int b; } toy_s;
enum toy_e { TOY_A, TOY_B };
#define TOY_C 4
typedef int toy_t;
extern int toy_v;
#define TOY_M(x) x
typedef struct toy_u { int a; } toy_u;
