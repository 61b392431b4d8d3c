typedef struct Toy_Node { int kind; } Toy_Node;
#define TOY_DEPTH 5
int Toy_Count(const Toy_Node* first);
