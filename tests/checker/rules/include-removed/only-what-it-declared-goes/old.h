// Some of its names have come to another header, one has not.
#include "old_tree.h"
Toy_Kind Toy_Parse(const char* text);
