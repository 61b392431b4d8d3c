typedef int T; void f(T x, int T); void g(T T); int h(T (T));
