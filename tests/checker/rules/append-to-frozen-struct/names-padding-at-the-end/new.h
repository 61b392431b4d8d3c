#pragma once
struct s { long long b; int a; int pad0; };
int f(struct s *);
