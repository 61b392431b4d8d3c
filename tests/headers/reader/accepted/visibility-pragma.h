#pragma GCC visibility push(hidden)
int f(void);
#pragma GCC visibility pop
int g(void);
