#define API __attribute__((visibility("default")))
#define CALL
#define DEPRECATED(m) __attribute__((deprecated(m)))
API int CALL f(int); DEPRECATED("no") API void g(void); typedef int (CALL *cb)(int);
