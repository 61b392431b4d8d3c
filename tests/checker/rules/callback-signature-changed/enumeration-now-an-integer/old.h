#pragma once
enum E { A, B };
typedef int (*cb)(enum E e);
void set(cb c);
struct s { int (*f)(enum E e); };
void u(struct s*);
