#pragma once
struct s { char a; char kind[3]; int b; };
int f(struct s *);
