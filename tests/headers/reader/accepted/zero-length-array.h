struct S { int n; int data[0]; }; struct T { int a[0]; int b; };
