const int a; int const b; const volatile int *const restrict_; int * restrict p;
const char *const *volatile q;
