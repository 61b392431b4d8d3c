#pragma once
#define API __attribute__((__malloc__)) __attribute__((__nonnull__(1)))
API char *f(char *p);
