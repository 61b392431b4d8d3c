int __attribute__((ms_abi)) a(int); typedef int (__attribute__((sysv_abi)) *b)(int);
typedef void (*c)(int) __attribute__((ms_abi));
typedef __attribute__((ms_abi)) int d(void);
struct S { void (__attribute__((ms_abi)) *cb)(void); int (*__attribute__((ms_abi)) q)(int); };
void e(void (*f)(int) __attribute__((ms_abi)), int x);
