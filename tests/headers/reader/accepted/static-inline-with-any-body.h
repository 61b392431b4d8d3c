static inline int f(int x) { for (int i = 0; i < 3; i++) { if (x) { x -= ({ int y = 2; y; }); } } return x; }
static inline void g(void) { char *s = "}"; char c = '{'; (void)s; (void)c; /* } */ }
static __inline__ __attribute__((always_inline)) int h(void) { return (struct { int a; }){1}.a; }
