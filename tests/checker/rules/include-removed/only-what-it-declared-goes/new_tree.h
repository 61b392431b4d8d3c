typedef int Toy_Kind;
