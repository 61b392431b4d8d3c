"""Headers that compilers accept; every one must be read without an error."""

from __future__ import annotations

ACCEPTED: dict[str, str] = {
    "empty": "",
    "stray semicolons": ";;int x;;",
    "basic types": """
        void f0(void); _Bool f1(void); char f2(signed char, unsigned char); short f3(short int, unsigned short);
        long f4(long int, unsigned long, long unsigned int, int long); int unsigned f5(unsigned, signed);
        long long f6(unsigned long long, long long int, long unsigned long); float f7(double, long double, double long);
        __int128 f8(unsigned __int128); _Complex float f9(double _Complex, long double _Complex, _Complex);
        _Float128 f10(__float128); void f11(__builtin_va_list);""",
    "floating types of a fixed width": "struct F { _Float32 a; _Float64 b; _Float32x c; _Float64x d; };",
    "declaration lists": "int a, *b, c[3], (*d)(int), *e(void), **f[2];",
    "pointers to arrays": "int (*p)[3]; int *(*q)[2][4]; char *(*(*r)(int))[5];",
    "functions returning function pointers": "void (*signal(int sig, void (*func)(int)))(int);",
    "K&R declaration": "int f(); void (*g)(); int h(int (*)());",
    "K&R definition": "static int f(a, b) int a; char *b; { return a + *b; }",
    "qualifiers": "const int a; int const b; const volatile int *const restrict_; int * restrict p; const char *const *volatile q;",
    "qualifiers, GNU spelling": "__const int a; int *__restrict p; __volatile__ int v; int *__restrict__ q; __signed__ char c;",
    "array parameters": "void f(int a[], int b[3], int c[static 4], int d[const], int e[*], int g[restrict 2], int h[static const 2]);",
    "function parameters": "void f(int g(int), void h(void));",
    "variadic": "int f(const char *fmt, ...); void (*g)(int, ...);",
    "void parameter through a typedef": "typedef void V; int f(V);",
    "static inline with any body": """
        static inline int f(int x) { for (int i = 0; i < 3; i++) { if (x) { x -= ({ int y = 2; y; }); } } return x; }
        static inline void g(void) { char *s = "}"; char c = '{'; (void)s; (void)c; /* } */ }
        static __inline__ __attribute__((always_inline)) int h(void) { return (struct { int a; }){1}.a; }""",
    "inline without static": "inline int f(int a) { return a; } extern inline int g(void) { return 0; }",
    "struct": "struct S { int a; char b, *c; double d[2][3]; }; struct S s; struct S *f(struct S);",
    "struct typedef": "typedef struct S { int a; } S, *SP; typedef struct { int b; } T;",
    "struct with the name of a typedef": "typedef int T; struct T { int a; }; struct T t; T u;",
    "member with the name of a typedef": "typedef int T; struct S { T T; int a, U; }; struct R { unsigned T; const T x; };",
    "parameter with the name of a typedef": "typedef int T; void f(T x, int T); void g(T T); int h(T (T));",
    "typedef again": "typedef int T; typedef int T; typedef struct S S; typedef struct S S; struct S { S *next; };",
    "self reference": "typedef struct N { struct N *next; } N; struct A; struct B { struct A *a; }; struct A { struct B *b; };",
    "nested structs": "struct O { struct I { int x; } i; struct { int y; } j; union { int k; float l; }; struct { int m; }; }; struct I after;",
    "anonymous enum in a struct": "struct S { enum { A, B = 5 } kind; enum E { C } e; }; int x[B];",
    "bit-fields": "struct S { int a : 3; unsigned b : 1, c : 2; int : 0; unsigned : 4; _Bool d : 1; long e : 40; enum { X } f : 2; };",
    "bit-field widths that are expressions": "enum { W = 3 }; struct S { unsigned a : W + 1; unsigned b : sizeof(char); };",
    "flexible array": "struct S { int n; int data[]; }; struct T { int n; struct { int k; char c[]; } last; };",
    "zero length array": "struct S { int n; int data[0]; }; struct T { int a[0]; int b; };",
    "empty struct": "struct E { }; union U { }; struct F { struct E e; int x; };",
    "no semicolon behind the last member": "struct S { int a; int b };",
    "union": "union U { int i; float f; struct { char c[8]; } s; }; typedef union U U; U u;",
    "enums": "enum E { A, B = 3, C, D = -1, F = A + 10, G = 'x', H = sizeof(int), I = 1 << 4, J = (1 ? 2 : 3), K = ~0, };",
    "enum typedef": "typedef enum { A } E; typedef enum T { B = A } T; enum T f(E e, T t);",
    "enum large values": "enum E { A = 0xffffffff, B = 0x100000000LL, C = -1 }; enum U { X = 4294967295U };",
    "enum forward": "enum E; enum E *p; enum E { A };",
    "enumerators with attributes": 'enum E { A __attribute__((deprecated)), B __attribute__((deprecated("use A"))) = 3, C [[gnu::deprecated]] };',
    "constant expressions": """
        enum { N = 4 }; int a[N * 2 + 1]; int b[(N > 3) ? 5 : 6]; int c[sizeof(int) * 3]; int d[sizeof a / sizeof a[0]];
        int e[1 << 3 | 1]; int f[(int)3.7]; int g[!0 + -(-2)]; int h['a' - 'A']; int i[10 % 3 ? 2 : 1]; int j[0x10u]; int k[010];
        int l[_Alignof(double)]; int m[(char)3]; int n[N == 4 && N != 5 || 0 ? 1 : -1]; int o[sizeof(struct { int z; })];
        int p[sizeof("abc")]; int q[sizeof(int[3])]; int r[(unsigned char)~0]; int s[0b101]; int t[__alignof__(int)];""",
    "offsetof": """
        #include <stddef.h>
        struct S { int a; struct { char b[4]; } c; };
        int x[offsetof(struct S, c.b[2])]; enum { E = offsetof(struct S, c) + sizeof(((struct S*)0)->c) };
        int y[(size_t)&((struct S*)0)->c]; int z[__builtin_offsetof(struct S, a) + 1];""",
    "sizeof of expressions": """
        struct S { int a; char b[7]; struct S *n; }; extern struct S s, *p;
        int a[sizeof s]; int b[sizeof(s.b)]; int c[sizeof p->n->b]; int d[sizeof *p]; int e[sizeof(&s)]; int f[sizeof(1 + 1L)];
        int g[sizeof(s.b[0])]; int h[sizeof(((struct S*)0)->b)]; int i[sizeof((*(struct S*)0).a)]; int j[sizeof((char)1)];""",
    "attributes on structs": """
        struct __attribute__((packed)) A { char c; int i; }; struct B { char c; int i; } __attribute__((packed));
        typedef struct { char c; int i; } __attribute__((__packed__, aligned(2))) C; struct __attribute__((aligned)) D { int x; };
        struct __attribute__((ms_struct)) E { int a : 3; char b; }; union __attribute__((transparent_union)) U { int *a; void *b; };
        typedef union { int *a; void *b; } V __attribute__((transparent_union)); struct __attribute__(()) F { int a; };
        struct { int a; } __attribute__((aligned(sizeof(long)))) g;""",
    "attributes on members": """
        struct S { int a __attribute__((aligned(16))); __attribute__((aligned(8))) char b; char c __attribute__((packed));
          int d, e __attribute__((aligned(32))), *f; int *__attribute__((aligned(16))) g; int h : 3 __attribute__((packed));
          int i[3] __attribute__((aligned(64))); int (*j)(int) __attribute__((unused)); _Alignas(16) int k; _Alignas(double) char l;
          _Alignas(8) _Alignas(32) int m; int n [[gnu::aligned(8)]]; [[gnu::packed]] int o; struct { int p; } __attribute__((packed)); };""",
    "attributes on functions": """
        __attribute__((noreturn)) void a(void); void b(void) __attribute__((noreturn, weak)); extern int c(int) __attribute__((nonnull, pure));
        __attribute__((visibility("default"))) int d(const char *f, ...) __attribute__((format(printf, 1, 2)));
        int __attribute__((warn_unused_result)) e(void); int (__attribute__((cdecl)) *f)(int); void *g(int) __attribute__((malloc, alloc_size(1)));
        int h(int a __attribute__((unused)), int *b __attribute__((unused))); [[nodiscard]] int i(void); [[deprecated("x")]] int j(void);
        void k(void) __asm__("other"); void l(void) __asm("_l" "2") __attribute__((weak)); _Noreturn void m(void);
        int n(int [[maybe_unused]] p); __extension__ int o(void); extern __typeof__(o) p; int (__attribute__((unused)) q)(void);""",
    "calling conventions": """
        int __attribute__((ms_abi)) a(int); typedef int (__attribute__((sysv_abi)) *b)(int); typedef void (*c)(int) __attribute__((ms_abi));
        typedef __attribute__((ms_abi)) int d(void); struct S { void (__attribute__((ms_abi)) *cb)(void); int (*__attribute__((ms_abi)) q)(int); };
        void e(void (*f)(int) __attribute__((ms_abi)), int x);""",
    "attributes on typedefs": """
        typedef int aligned_int __attribute__((aligned(16))); typedef __attribute__((aligned(8))) char c8; __attribute__((deprecated)) typedef int old;
        typedef int v4si __attribute__((vector_size(16))); typedef float v2 __attribute__((vector_size(8)));
        typedef unsigned int uti __attribute__((__mode__(__TI__))); typedef int word __attribute__((mode(word))); struct S { v4si v; aligned_int a; };""",
    "modes": """
        struct M { int a __attribute__((mode(DI))), b; unsigned c __attribute__((__mode__(__QI__))); float d __attribute__((mode(DF))); };
        typedef unsigned int hi __attribute__((mode(HI))); struct N { char c; hi h; };""",
    "attributes on enums": "enum __attribute__((packed)) A { X }; enum B { Y } __attribute__((packed)); typedef enum { Z } __attribute__((__packed__)) C;",
    "attributes with strange arguments": 'int f(void) __attribute__((section(".a,b"), alias_unknown_)); int g(int *) __attribute__((access(read_only, 1), symver("a@b")));',
    "lone attribute": "__attribute__((unused)) static int x; [[]] int y; __attribute__((aligned(4))) int z;",
    "pragma pack": """
        #pragma pack(push, 1)
        struct A { char c; int i; };
        #pragma pack(4)
        struct B { char c; long long l; };
        #pragma pack(pop)
        #pragma pack()
        struct C { char c; int i; };
        struct D { char c;
        #pragma GCC diagnostic ignored "-Wall"
          int i; };""",
    "_Pragma": '_Pragma("pack(push,1)") struct A { char c; int i; }; _Pragma("pack(pop)") int x;',
    "static assertions": """
        _Static_assert(sizeof(char) == 1, "x"); _Static_assert(1); struct S { int a; _Static_assert(1, "in" "side"); int b; };
        #include <assert.h>
        static_assert(sizeof(struct S) == 2 * sizeof(int), "size");""",
    "typeof": "extern int x; typeof(x) y; __typeof__(int *) z; __typeof(x + 1) w; struct S { typeof(x) m; }; typeof(struct S) s;",
    "_Generic": "int a[_Generic(1, int: 2, default: 3)]; int b[_Generic('c', char: 1, int: 2)]; int c[_Generic(1.0, float: 1, double: 4)];",
    "_Atomic": "_Atomic int a; _Atomic(int) b; _Atomic(int *) c; int *_Atomic d; struct S { _Atomic(long) e; const _Atomic int f; };",
    "thread local": "extern _Thread_local int a; extern __thread int b; static __thread int c;",
    "_Alignas": "_Alignas(16) int a; _Alignas(double) char b[3]; extern _Alignas(8) int c; struct S { _Alignas(16) char d[3]; };",
    "initialisers": """
        static const int a = 3, b[] = {1, 2, 3}, *c = &a; static const struct { int x, y; } d = {.y = 1, .x = 2};
        static int e[3] = {[2] = 5, [0 ... 1] = 4}; static const char *f[] = {"a", "b"}; static void *g = (void *)0, *h = (void *)(1 ? 0 : 1);
        static int (*i)(int) = 0; static const struct d { int z; } j = { .z = sizeof(struct { int q; }) };""",
    "extern variables": "extern int a; extern const char *const b[]; extern struct S *c; int d; extern int e[10];",
    "opaque types": "struct S; typedef struct S S; typedef struct T *T; struct S *f(T); struct U; void g(struct U *u);",
    "same prototype twice": "int f(int a); int f(int b); int f(); extern int f(int); struct S; void g(struct S *); void g(struct S *s);",
    "array completed later": "extern int a[]; extern int a[5]; extern int b[3]; extern int b[];",
    "function through a typedef": "typedef int F(int); F f, g; F *h; extern F i; struct S { F *p; };",
    "callbacks": "typedef void (*cb)(void *data, int n); typedef void raw(int); typedef cb (*make)(cb, raw *); void reg(cb c, raw r);",
    "names in all namespaces": "struct a { int a; } a; enum b { c } b; typedef int d; struct d { d d; };",
    "unicode identifiers": "int größe; struct π { int α; };",
    "dollar in a name": "int a$b;",
    "line continuation": "#define X \\\n  int \\\n  x;\nX\nint y\\\nz;",
    "digraphs": "struct S <% int a<:3:>; %>;",
    "comments everywhere": "int/**/a/* x */;// y\nstruct /* z */ S /* { */ { /* } */ int /*;*/ b; };",
    "macros that expand to declarations": """
        #define HANDLE(x) typedef struct x##_st *x
        #define FIELD(t, n) t n
        #define ENUM(n) enum n { n##_A, n##_B }
        HANDLE(Stream); struct S { FIELD(int, a); FIELD(Stream, s); }; ENUM(Color);""",
    "macros for attributes": """
        #define API __attribute__((visibility("default")))
        #define CALL
        #define DEPRECATED(m) __attribute__((deprecated(m)))
        API int CALL f(int); DEPRECATED("no") API void g(void); typedef int (CALL *cb)(int);""",
    "extern C under a condition": """
        #ifdef __cplusplus
        extern "C" {
        #endif
        int f(void);
        #ifdef __cplusplus
        }
        #endif""",
    "C++ under a condition": "#ifdef __cplusplus\nnamespace a { class B; template <class T> void f(T& t = T::x); }\n#endif\nint x;",
    "words of C++ as names": "struct S { int class, new, this, template; }; int namespace(int using); typedef int operator; operator delete;",
    "standard headers": """
        #include <stddef.h>
        #include <stdint.h>
        #include <stdbool.h>
        #include <stdarg.h>
        #include <limits.h>
        bool f(size_t n, uint8_t *p, va_list ap, wchar_t w, intptr_t i, ptrdiff_t d); int64_t a[INT8_MAX]; max_align_t m;""",
    "more standard headers": """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <time.h>
        #include <errno.h>
        #include <inttypes.h>
        #include <signal.h>
        #include <setjmp.h>
        void f(FILE *f, struct tm *t, time_t n, div_t d, sigset_t *s, jmp_buf j, clock_t c); struct S { struct timespec ts; struct tm tm; };""",
    "posix headers": """
        #include <pthread.h>
        #include <sys/types.h>
        #include <sys/stat.h>
        struct S { pthread_mutex_t m; pthread_t t; ssize_t n; struct stat st; off_t o; };""",
    "va_list parameter": "#include <stdarg.h>\nint f(const char *fmt, va_list ap);",
    "floating macros": '#define PI 3.14\n#define NAME "x" "y"\n#define EMPTY\n#define TYPE unsigned char\nTYPE x[(int)PI];',
    "compound literal in sizeof": "int a[sizeof((int[]){1, 2, 3})]; int b[sizeof((struct { char c[5]; }){0})];",
    "cast of a struct pointer": "struct S { int a; }; int x[sizeof *(struct S *)0];",
    "typedef in the middle": "int typedef T; long typedef unsigned U; const T typedef *V; T t; U u; V v;",
    "specifiers in any order": "unsigned static const long int extern_free; int const static volatile x; inline static int f(void) { return 0; }",
    "return struct pointer definition": "struct R { int a; } *make(void); struct { int b; } x, *y;",
    "long parameter list": "void f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l);",
    "nested function pointers": "typedef int (*(*ff)(int (*)(int), int (*(*)(void))[3]))(void); int (*(*x[3])(void))[5];",
    "parenthesised names": "int (a), (*b), ((c))[2], (((*d)))(int); typedef int (T); T (e); struct S { int (f); int (*(g))(void); };",
    "abstract declarators": "void f(int *, int (*)(void), int[3], int (*)[2], int *(*)(int *), const char *const *, int(int), int (*[])(void));",
    "qualified arrays and functions through typedefs": "typedef int A[3]; const A a; void f(const A x, A *y, A z[2]); struct S { const A m; };",
    "bit-field of a typedef": "typedef unsigned int U; struct S { U a : 3; U : 2; U b : 4, : 1; };",
    "character constants": r"""enum { A = 'a', B = '\n', C = '\x41', D = '\0', E = '\377', F = L'x', G = '\'', H = 'ab', I = u'z', J = '"', K = '\\' };""",
    "integer constants": "enum { A = 1u, B = 1L, C = 0x7fffffff, D = 1ull - 1, E = 0777, F = 1LLU, G = 0XFFu, H = 2'000 - 2'000 };".replace(
        "2'000", "2000"
    ),
    "string prefix": 'extern char a[sizeof(L"abc")]; extern char b[sizeof u8"x"];',
    "extension keyword": "__extension__ typedef long long LL; __extension__ struct S { __extension__ union { int a; }; }; int x[__extension__ 3];",
    "pragma in a parameter list": "void f(int a,\n#pragma GCC diagnostic push\n int b);",
    "declaration behind a struct on one line": "struct A { int x; }; struct B { struct A a; }; int f(struct B);",
    "large array": "struct S { char big[1024 * 1024]; char two[2][3][4]; };",
    "unnamed members of tagged structs do nothing": "struct A { int x; }; struct B { struct A; int y; };",
    "typedef of an anonymous pointer": "typedef struct { int a; } *P; typedef enum { X } *Q; P p; Q q;",
    "const struct typedef": "typedef const struct { int a; } T; typedef volatile struct S { int b; } V; T t; V v;",
    "implicit int": "static x; const y; f(int); extern z;",
    "identifier list in a declaration": "int f(a, b);",
    "auto type": "static __auto_type x = 3; static __auto_type y = 2.5f;",
    "asm at top level": '__asm__(".globl foo"); asm("nop");',
    "visibility pragma": "#pragma GCC visibility push(hidden)\nint f(void);\n#pragma GCC visibility pop\nint g(void);",
    "weak and alias": "int real(void); extern int other(void) __attribute__((weak)); #pragma weak real".replace(
        "#pragma", "\n#pragma"
    ),
    "UTF-8 byte order mark": "\ufeffint x;",
    "CRLF": "struct S {\r\n  int a; // one\r\n  int b;\r\n};\r\n#define X \\\r\n 3\r\nint y[X];\r\n",
    "no newline at the end": "int x; // end",
}
