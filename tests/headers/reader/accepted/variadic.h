int f(const char *fmt, ...); void (*g)(int, ...);
