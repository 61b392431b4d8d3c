_Static_assert(sizeof(char) == 1, "x"); _Static_assert(1);
struct S { int a; _Static_assert(1, "in" "side"); int b; };
#include <assert.h>
static_assert(sizeof(struct S) == 2 * sizeof(int), "size");
