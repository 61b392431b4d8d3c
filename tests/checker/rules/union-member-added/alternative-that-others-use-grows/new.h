#pragma once
struct c { int x; int y; };
struct s { int k; union { struct c c; int b[4]; } u; };
int f(struct s *);
int g(struct c *);
