#pragma once
typedef void F(int a);
struct s { F ^done; };
void u(struct s*);
