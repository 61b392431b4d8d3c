#pragma once
char *f(char *p, unsigned long n);
