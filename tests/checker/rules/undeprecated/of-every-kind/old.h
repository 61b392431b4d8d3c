#define TOY_DEP __attribute__((deprecated))
TOY_DEP int toy_f(int a);
/** Deprecated. */
int toy_g(int a);
/** Deprecated. */
typedef struct toy_s { int a; /**< Deprecated. */ int b; } toy_s;
enum toy_e { TOY_A, /**< Deprecated. */ TOY_B };
/** Deprecated. */
#define TOY_C 4
/** Deprecated. */
typedef int toy_t;
/** Deprecated. */
extern int toy_v;
/** Deprecated. */
#define TOY_M(x) x
/** Deprecated. */
typedef struct toy_u { int a; } toy_u;
