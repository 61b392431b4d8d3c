typedef const struct { int a; } T; typedef volatile struct S { int b; } V; T t; V v;
