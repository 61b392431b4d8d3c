#include "nodes.h"
int Toy_Parse(const char* text);
#define Toy_Count(first) (first != 0)
