#include "lib/all.h"
int Toy_Parse(const Toy_Node* node);
