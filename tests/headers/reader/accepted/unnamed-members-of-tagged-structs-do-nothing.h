struct A { int x; }; struct B { struct A; int y; };
