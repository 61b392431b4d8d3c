struct S { enum { A, B = 5 } kind; enum E { C } e; }; int x[B];
