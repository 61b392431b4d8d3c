#pragma once
struct s { int a; int (*reserve)(int); };
int f(struct s *);
