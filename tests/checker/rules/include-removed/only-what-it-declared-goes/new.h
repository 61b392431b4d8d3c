#include "new_tree.h"
Toy_Kind Toy_Parse(const char* text);
