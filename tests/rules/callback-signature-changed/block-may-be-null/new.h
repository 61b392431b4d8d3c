#pragma once
typedef void F(int number);
struct s { F ^done; };
void u(struct s*);
