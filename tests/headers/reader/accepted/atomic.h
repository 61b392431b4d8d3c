_Atomic int a; _Atomic(int) b; _Atomic(int *) c; int *_Atomic d;
struct S { _Atomic(long) e; const _Atomic int f; };
