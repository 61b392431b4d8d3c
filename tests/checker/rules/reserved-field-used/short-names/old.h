#pragma once
struct s { int a; int rsv; int resvd1; int reserve[3]; };
int f(struct s *);
