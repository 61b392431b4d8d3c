#define HANDLE(x) typedef struct x##_st *x
#define FIELD(t, n) t n
#define ENUM(n) enum n { n##_A, n##_B }
HANDLE(Stream); struct S { FIELD(int, a); FIELD(Stream, s); }; ENUM(Color);
