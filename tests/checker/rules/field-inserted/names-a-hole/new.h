#pragma once
struct s { char a; char pad0[3]; int b; };
int f(struct s *);
