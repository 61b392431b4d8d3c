typedef int A[3]; const A a; void f(const A x, A *y, A z[2]); struct S { const A m; };
