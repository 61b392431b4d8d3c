typedef struct Toy_Node { int kind; } Toy_Node;
enum Toy_Kind { TOY_LEAF, TOY_BRANCH };
