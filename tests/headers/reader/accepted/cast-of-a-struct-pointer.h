struct S { int a; }; int x[sizeof *(struct S *)0];
