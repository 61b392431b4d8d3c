_Alignas(16) int a; _Alignas(double) char b[3]; extern _Alignas(8) int c;
struct S { _Alignas(16) char d[3]; };
