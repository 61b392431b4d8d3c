#pragma once
enum E { A, B };
int f(unsigned e);
