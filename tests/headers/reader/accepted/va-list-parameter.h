#include <stdarg.h>
int f(const char *fmt, va_list ap);
