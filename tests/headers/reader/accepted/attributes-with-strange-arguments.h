int f(void) __attribute__((section(".a,b"), alias_unknown_));
int g(int *) __attribute__((access(read_only, 1), symver("a@b")));
