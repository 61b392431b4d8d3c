// should not trigger: the header declares nothing.
#include "empty.h"
int Toy_Parse(const char* text);
