// should not trigger: it is said in another place, or in other words.
__attribute__((deprecated("use toy_g"))) int toy_f(int a);
struct Toy { int a; };
/** Deprecated. */
typedef struct Toy Toy;
enum Toy_Kind { TOY_A __attribute__((deprecated)), TOY_B };
