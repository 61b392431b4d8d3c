#pragma once
struct s { volatile int a; int b; };
int f(struct s *s);
