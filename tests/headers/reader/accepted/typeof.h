extern int x; typeof(x) y; __typeof__(int *) z; __typeof(x + 1) w; struct S { typeof(x) m; };
typeof(struct S) s;
