#pragma once
typedef int (*cb)(int a);
void set(cb c);
struct s { int (*f)(int e); };
void u(struct s*);
