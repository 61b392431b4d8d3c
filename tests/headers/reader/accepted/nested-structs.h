struct O { struct I { int x; } i; struct { int y; } j; union { int k; float l; }; struct { int m; }; };
struct I after;
