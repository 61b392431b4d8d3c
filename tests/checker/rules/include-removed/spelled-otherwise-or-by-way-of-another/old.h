// should not trigger: NEW still has the header, by way of another, and so it has <stdint.h>.
#include <stdint.h>
#include <lib/tree.h>
int Toy_Parse(const Toy_Node* node);
