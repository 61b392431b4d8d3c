#pragma once
struct s { char *p; int dummy; int future; int _unused; int spare; int slots; int padding; };
void get(struct s *out);
