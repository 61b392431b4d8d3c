#pragma once
__attribute__((malloc)) char *f(char *p, unsigned long n);
