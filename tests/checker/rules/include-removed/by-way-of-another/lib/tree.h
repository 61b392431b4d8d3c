#ifndef TOY_TREE_H
#define TOY_TREE_H
typedef struct Toy_Node { int kind; struct Toy_Node* next; } Toy_Node;
int Toy_Count(const Toy_Node* first);
#define TOY_DEPTH 5
#endif
