#pragma once
typedef long long (*cb)(int a);
void set(cb c);
struct s { long long (*f)(int e); };
void u(struct s*);
