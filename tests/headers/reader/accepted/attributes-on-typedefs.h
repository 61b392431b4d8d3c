typedef int aligned_int __attribute__((aligned(16))); typedef __attribute__((aligned(8))) char c8;
__attribute__((deprecated)) typedef int old;
typedef int v4si __attribute__((vector_size(16))); typedef float v2 __attribute__((vector_size(8)));
typedef unsigned int uti __attribute__((__mode__(__TI__))); typedef int word __attribute__((mode(word)));
struct S { v4si v; aligned_int a; };
