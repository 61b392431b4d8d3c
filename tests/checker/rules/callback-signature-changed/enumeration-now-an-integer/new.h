#pragma once
enum E { A, B };
typedef int (*cb)(unsigned e);
void set(cb c);
struct s { int (*f)(unsigned e); };
void u(struct s*);
