void f(int a,
#pragma GCC diagnostic push
 int b);
