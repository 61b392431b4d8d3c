typedef int Toy_Kind;
int Toy_Gone(void);
