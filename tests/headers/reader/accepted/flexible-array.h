struct S { int n; int data[]; }; struct T { int n; struct { int k; char c[]; } last; };
