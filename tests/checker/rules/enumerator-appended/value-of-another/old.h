#pragma once
enum c { RED = 1, GREEN = 2, BLUE = 3 };
int f(enum c c);
