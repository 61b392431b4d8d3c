#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdarg.h>
#include <limits.h>
bool f(size_t n, uint8_t *p, va_list ap, wchar_t w, intptr_t i, ptrdiff_t d); int64_t a[INT8_MAX];
max_align_t m;
