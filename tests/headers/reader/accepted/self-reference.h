typedef struct N { struct N *next; } N; struct A; struct B { struct A *a; }; struct A { struct B *b; };
