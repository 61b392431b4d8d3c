#pragma once
enum E { A, B };
int f(enum E e);
