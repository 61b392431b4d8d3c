__extension__ typedef long long LL; __extension__ struct S { __extension__ union { int a; }; };
int x[__extension__ 3];
