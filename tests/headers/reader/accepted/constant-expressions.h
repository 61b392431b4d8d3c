enum { N = 4 }; int a[N * 2 + 1]; int b[(N > 3) ? 5 : 6]; int c[sizeof(int) * 3];
int d[sizeof a / sizeof a[0]];
int e[1 << 3 | 1]; int f[(int)3.7]; int g[!0 + -(-2)]; int h['a' - 'A']; int i[10 % 3 ? 2 : 1];
int j[0x10u]; int k[010];
int l[_Alignof(double)]; int m[(char)3]; int n[N == 4 && N != 5 || 0 ? 1 : -1];
int o[sizeof(struct { int z; })];
int p[sizeof("abc")]; int q[sizeof(int[3])]; int r[(unsigned char)~0]; int s[0b101]; int t[__alignof__(int)];
