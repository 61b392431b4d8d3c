struct M { int a __attribute__((mode(DI))), b; unsigned c __attribute__((__mode__(__QI__))); float d __attribute__((mode(DF))); };
typedef unsigned int hi __attribute__((mode(HI))); struct N { char c; hi h; };
