#pragma once
struct s { int a; int b; };
int f(struct s *s);
