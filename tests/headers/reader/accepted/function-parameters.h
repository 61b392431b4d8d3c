void f(int g(int), void h(void));
