#pragma once
int f(const char *s, ...);
