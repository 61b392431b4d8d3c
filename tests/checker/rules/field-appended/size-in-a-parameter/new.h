#pragma once
#include <stddef.h>
struct info { int a; int b; int c; };
int reg(const struct info *info, size_t info_size);
