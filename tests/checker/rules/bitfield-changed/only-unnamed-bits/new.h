struct toy { unsigned a : 3; };
struct toy_inner { struct { unsigned a : 3; }; int b; };
union toy_any { unsigned a : 3; unsigned : 6; };
struct toy_same { unsigned a : 3; unsigned : 2 + 3; };
