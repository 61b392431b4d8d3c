struct Toy_Node { int kind; };
