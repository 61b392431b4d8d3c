typedef struct S { int a; } S, *SP; typedef struct { int b; } T;
