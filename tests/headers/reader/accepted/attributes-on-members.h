struct S { int a __attribute__((aligned(16))); __attribute__((aligned(8))) char b; char c __attribute__((packed));
  int d, e __attribute__((aligned(32))), *f; int *__attribute__((aligned(16))) g;
  int h : 3 __attribute__((packed));
  int i[3] __attribute__((aligned(64))); int (*j)(int) __attribute__((unused)); _Alignas(16) int k;
  _Alignas(double) char l;
  _Alignas(8) _Alignas(32) int m; int n [[gnu::aligned(8)]]; [[gnu::packed]] int o;
  struct { int p; } __attribute__((packed)); };
