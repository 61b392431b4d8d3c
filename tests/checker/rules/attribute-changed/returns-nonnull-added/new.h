#pragma once
__attribute__((returns_nonnull)) char *f(char *p, unsigned long n);
