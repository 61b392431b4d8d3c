#pragma once
struct s { long long k; union { int a[2]; int b; }; };
int f(struct s *s);
