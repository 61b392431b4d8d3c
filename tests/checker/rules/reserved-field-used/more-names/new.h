#pragma once
struct s { char *p; int d; int f; int u; int s; int sl; int pa; };
void get(struct s *out);
