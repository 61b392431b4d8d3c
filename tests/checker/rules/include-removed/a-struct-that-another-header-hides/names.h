struct Toy_Node;
typedef struct Toy_Node Toy_Handle;
