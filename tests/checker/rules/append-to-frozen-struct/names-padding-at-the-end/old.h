#pragma once
struct s { long long b; int a; };
int f(struct s *);
