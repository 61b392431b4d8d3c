#pragma once
struct s { void (^done)(long long a); };
void u(struct s*);
