#include "tree.h"
#include "names.h"
void Toy_Free(Toy_Handle* node);
