#pragma once
struct s { int a; int flags; int depth; int width; int reserve[2]; };
int f(struct s *);
