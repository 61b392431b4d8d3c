#pragma once
struct s { long long k; union { int a[2]; int b; long long c; }; };
int f(struct s *s);
