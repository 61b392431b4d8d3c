struct A { int x; }; struct B { struct A a; }; int f(struct B);
