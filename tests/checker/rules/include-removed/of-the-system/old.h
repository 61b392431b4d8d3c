#include <stddef.h>
#include <stdio.h>
int Toy_Parse(const char* text);
