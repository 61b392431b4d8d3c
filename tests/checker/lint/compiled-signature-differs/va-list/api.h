#pragma once
#include <stdarg.h>
#ifdef __cplusplus
extern "C" {
#endif
int xy_print(const char *format, va_list arguments);
int xy_trace(const char *format, va_list arguments);
#ifdef __cplusplus
}
#endif
