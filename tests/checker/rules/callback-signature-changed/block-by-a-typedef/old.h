#pragma once
struct s { void (^ _Nonnull done)(int a); };
void u(struct s*);
