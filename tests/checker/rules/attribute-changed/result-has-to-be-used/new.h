#pragma once
__attribute__((warn_unused_result)) char *f(char *p, unsigned long n);
