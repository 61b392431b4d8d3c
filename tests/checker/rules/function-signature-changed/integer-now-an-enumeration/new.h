#pragma once
enum E { A, B };
int f(enum E e);
enum E g(void);
