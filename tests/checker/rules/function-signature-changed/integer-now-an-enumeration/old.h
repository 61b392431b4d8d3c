#pragma once
enum E { A, B };
int f(int e);
unsigned g(void);
