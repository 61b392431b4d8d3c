// should not trigger: it is said in another place, or in other words.
/** Deprecated. */
int toy_f(int a);
/** Deprecated. */
struct Toy { int a; };
typedef struct Toy Toy;
enum Toy_Kind { TOY_A, /**< Deprecated. */ TOY_B };
