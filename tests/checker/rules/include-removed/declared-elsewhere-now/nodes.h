#ifndef NODES_H
#define NODES_H
typedef struct Toy_Node { int kind; } Toy_Node;
#define TOY_DEPTH 5
#endif
