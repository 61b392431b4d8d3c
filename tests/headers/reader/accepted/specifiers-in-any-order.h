unsigned static const long int extern_free; int const static volatile x; inline static int f(void) { return 0; }
