struct E { }; union U { }; struct F { struct E e; int x; };
