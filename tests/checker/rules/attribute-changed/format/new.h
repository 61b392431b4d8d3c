#pragma once
__attribute__((format(printf, 1, 2))) int f(const char *s, ...);
