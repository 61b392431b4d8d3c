struct R { int a; } *make(void); struct { int b; } x, *y;
