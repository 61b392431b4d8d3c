typedef struct Toy_Node Toy_Node;
void Toy_Free(Toy_Node* node);
