//
#include "api.h"
int xy_print(const char *format, va_list arguments) { return format != 0; }
int xy_trace(const char *format, va_list arguments) { return format == 0; }
