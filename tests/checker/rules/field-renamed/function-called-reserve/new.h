#pragma once
struct s { int a; int (*grow)(int); };
int f(struct s *);
