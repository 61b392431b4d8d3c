#pragma once
struct s { void (^done)(int a); };
void u(struct s*);
