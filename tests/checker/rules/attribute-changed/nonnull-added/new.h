#pragma once
__attribute__((nonnull(1))) char *f(char *p, unsigned long n);
