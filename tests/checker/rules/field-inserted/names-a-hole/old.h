#pragma once
struct s { char a; int b; };
int f(struct s *);
