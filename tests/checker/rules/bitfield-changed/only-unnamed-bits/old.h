struct toy { unsigned a : 3; unsigned : 5; };
struct toy_inner { struct { unsigned a : 3; unsigned : 5; }; int b; };
union toy_any { unsigned a : 3; unsigned : 5; };
struct toy_same { unsigned a : 3; unsigned : 5; };
