int a[_Generic(1, int: 2, default: 3)]; int b[_Generic('c', char: 1, int: 2)];
int c[_Generic(1.0, float: 1, double: 4)];
