struct __attribute__((packed)) A { char c; int i; }; struct B { char c; int i; } __attribute__((packed));
typedef struct { char c; int i; } __attribute__((__packed__, aligned(2))) C;
struct __attribute__((aligned)) D { int x; };
struct __attribute__((ms_struct)) E { int a : 3; char b; };
union __attribute__((transparent_union)) U { int *a; void *b; };
typedef union { int *a; void *b; } V __attribute__((transparent_union));
struct __attribute__(()) F { int a; };
struct { int a; } __attribute__((aligned(sizeof(long)))) g;
