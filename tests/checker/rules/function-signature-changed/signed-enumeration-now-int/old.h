#pragma once
enum E { A = -1, B };
int f(enum E e);
