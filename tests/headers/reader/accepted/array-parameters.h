void f(int a[], int b[3], int c[static 4], int d[const], int e[*], int g[restrict 2], int h[static const 2]);
