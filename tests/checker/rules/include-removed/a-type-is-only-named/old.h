// The members of a struct and the values of an enumeration are gone, only the names are still there.
#include "tree.h"
void Toy_Free(Toy_Node* node);
